// The language of this page: what the person has chosen in this browser, else the first that the browser prefers and the
// console has, else English. It stays the same until the page is loaded again, so that texts are read once, as constants.
// Modules with texts import this one, which has loaded the catalog before they run.
import { readSetting, writeSetting } from '../local-setting.ts'
import { type Language, languageFor, localeFor } from './languages.ts'

/** Texts by their English ones; a context comes before the text, as `idOf` joins them. */
export type Catalog = Readonly<Record<string, string>>

const SETTING = 'bowline.language'

/** Each is a file of its own that only its readers fetch. */
const CATALOGS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ readonly default: Catalog }>>> = {
  de: () => import('../../../locales/de.po'),
}

async function load(wanted: Language): Promise<{ readonly language: Language; readonly catalog: Catalog }> {
  try {
    if (wanted !== 'en') return { language: wanted, catalog: (await CATALOGS[wanted]()).default }
  } catch {
    // The console in English is better than none; the next load tries again.
  }
  return { language: 'en', catalog: {} }
}

/** Outside of a page, as in tests, texts are in English. */
const isPage = typeof document !== 'undefined'
const preferred = isPage ? navigator.languages : []

export const { language, catalog } = await load(isPage ? languageFor(readSetting(SETTING), preferred) : 'en')

/** For `Intl`: a language tag (BCP 47). */
export const locale = localeFor(language, preferred)

if (isPage) document.documentElement.lang = language

/** Stores the choice in this browser and loads the page in that language; open terminals continue. */
export function chooseLanguage(chosen: Language): void {
  writeSetting(SETTING, chosen)
  location.reload()
}
