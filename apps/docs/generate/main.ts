// Generates everything derived from the contract, and from what is shared with the console, before a build. A separate process: Docusaurus' configuration loader
// cannot import the contract's modules.
import { writeApiPages } from './api-pages.ts'
import { writeBrand } from './brand.ts'
import { writeSettings } from './settings.ts'

process.chdir(new URL('..', import.meta.url).pathname)
writeApiPages()
writeSettings()
writeBrand()
