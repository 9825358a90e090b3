// Sidebars of the API reference, one for each edition, generated with its pages (generate/api-pages.ts).
import { readFileSync } from 'node:fs'
import type { SidebarsConfig } from '@docusaurus/plugin-content-docs'

const sidebars = JSON.parse(readFileSync('.generated/sidebars-api.json', 'utf8')) as SidebarsConfig

// oxlint-disable-next-line import/no-default-export -- Docusaurus reads the default export
export default sidebars
