// Generates everything derived from the contract before a build. A separate process: Docusaurus' configuration loader
// cannot import the contract's modules.
import { writeApiPages } from './api-pages.ts'
import { writeSettings } from './settings.ts'

process.chdir(new URL('..', import.meta.url).pathname)
writeApiPages()
writeSettings()
