// Keys of texts in catalogs.

/** Context of texts that the server sends. */
export const FROM_SERVER = 'server'

/** Key of a text in a catalog: gettext's separator is between context and text. */
export function idOf(text: string, context = ''): string {
  return context === '' ? text : `${context}\u0004${text}`
}
