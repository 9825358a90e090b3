/** Key of a text in a catalog: gettext's separator is between context and text. */
export function idOf(text: string, context = ''): string {
  return context === '' ? text : `${context}\u0004${text}`
}
