// The language of this page: what the person has chosen in this browser, else the first that the browser prefers and the
// console has, else English. It stays the same until the page is loaded again, so that texts are read once, as constants.
// `start.ts` loads it before the modules that have texts; without that, as in tests, they are in English.
import { readSetting, writeSetting } from '../local-setting.ts'
import { type Language, languageFor, localeFor } from './languages.ts'

/** Texts by their English ones; a context comes before the text, as `idOf` joins them. */
export type Catalog = Readonly<Record<string, string>>

const SETTING = 'bowline.language'

/** Each is a file of its own that only its readers fetch. */
const CATALOGS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ readonly default: Catalog }>>> = {
  de: () => import('../../../locales/de.po'),
}

export let language: Language = 'en'
/** Empty for English, which is in the sources. */
export let catalog: Catalog = {}
/** For `Intl`: a language tag (BCP 47). */
export let locale = 'en'

/** Sets the language of the page. Modules with texts are imported after that. */
export async function loadLanguage(): Promise<void> {
  const wanted = languageFor(readSetting(SETTING), navigator.languages)
  try {
    if (wanted !== 'en') catalog = (await CATALOGS[wanted]()).default
    language = wanted
  } catch {
    // The console in English is better than none; the next load tries again.
  }
  locale = localeFor(language, navigator.languages)
  document.documentElement.lang = language
}

/** Stores the choice in this browser and loads the page in that language; open terminals continue. */
export function chooseLanguage(chosen: Language): void {
  writeSetting(SETTING, chosen)
  location.reload()
}
