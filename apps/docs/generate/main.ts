// Writes what is made of the contract before a build. A process of its own: Docusaurus' loader of configuration does not
// read the contract's modules.
import { writeApiPages } from './api-pages.ts'
import { writeSettings } from './settings.ts'

process.chdir(new URL('..', import.meta.url).pathname)
writeApiPages()
writeSettings()
