// Writes what the site shares with the console: colours and fonts as custom properties, and the mark.
import { mkdirSync, writeFileSync } from 'node:fs'
import { brandCss, markSvg } from '@bowline/browser/brand'

/** Relative to the site folder: imported by src/css/site.css. */
const STYLES = '.generated/brand.css'
/** In a folder of static files that docusaurus.config.ts names. */
const MARK_FOLDER = '.generated/static/img'

export function writeBrand(): void {
  writeFileSync(STYLES, brandCss())
  mkdirSync(MARK_FOLDER, { recursive: true })
  writeFileSync(`${MARK_FOLDER}/mark.svg`, markSvg())
}
