// Languages of the console, and which of them a person reads.

/** Each under its own name. English is in the sources; every other one has a catalog in `locales/`. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof LANGUAGES

export function isLanguage(text: string | undefined): text is Language {
  return text !== undefined && Object.hasOwn(LANGUAGES, text)
}

/** `de` of `de-AT`. */
function primaryOf(tag: string): string {
  return tag.split('-', 1)[0]?.toLowerCase() ?? ''
}

/**
 * @param chosen what the person has chosen in this browser
 * @param preferred language tags (BCP 47) that the browser asks for, the most wanted first
 */
export function languageFor(chosen: string | undefined, preferred: readonly string[]): Language {
  return [chosen, ...preferred.map(primaryOf)].find(isLanguage) ?? 'en'
}

/**
 * Language tag (BCP 47) for numbers, dates and order: that of the person's region where the browser tells it, so that
 * English of `en-GB` has the day before the month.
 */
export function localeFor(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => primaryOf(tag) === language) ?? language
}
