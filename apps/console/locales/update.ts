// Brings the catalogs up to date with the sources: `npm run texts`. New texts are added without a translation, and those
// that nothing uses any more are dropped. With `--check` it only reports what is missing or unused.
import { catalogFile, readCatalog, translationsOf, writeCatalog } from './catalog.ts'
import { allTexts } from './extract.ts'
import { faultsOf } from './faults.ts'
import { LANGUAGES } from '../src/platform/language/languages.ts'

const checks = process.argv.includes('--check')
const sources = allTexts()
let faults = 0
for (const language of Object.keys(LANGUAGES)) {
  // English is in the sources.
  if (language === 'en') continue
  const file = catalogFile(language)
  if (!checks) writeCatalog(file, language, sources, translationsOf(readCatalog(file)))
  const found = faultsOf(language, sources, readCatalog(file))
  faults += found.length
  process.stdout.write(found.map((fault) => `${language}.po: ${fault}\n`).join(''))
}
process.exitCode = checks && faults > 0 ? 1 : 0
