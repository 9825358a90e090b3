/** Catalogs as the build reads them (`locales/catalog.ts`): texts by their English ones. */
declare module '*.po' {
  const texts: Readonly<Record<string, string>>
  export default texts
}
