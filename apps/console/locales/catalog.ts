// Catalogs of translations: PO files, which translators' tools read and write.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import PO from 'pofile'
import { idOf } from '../src/platform/language/id.ts'
import type { SourceText } from './source-text.ts'

/** A text of the sources with its translation; '' while there is none. */
export interface Translated {
  readonly text: string
  readonly context: string
  readonly translation: string
}

export function catalogFile(language: string): string {
  return join(import.meta.dirname, `${language}.po`)
}

export function readCatalog(file: string): Translated[] {
  return PO.parse(readFileSync(file, 'utf8')).items.map(({ msgid, msgctxt, msgstr }) => ({
    text: msgid,
    context: msgctxt ?? '',
    translation: msgstr[0] ?? '',
  }))
}

/** The catalog as the console loads it: translations by the id of their text. */
export function translationsOf(catalog: readonly Translated[]): Record<string, string> {
  const translated = catalog.filter(({ translation }) => translation !== '')
  return Object.fromEntries(translated.map(({ text, context, translation }) => [idOf(text, context), translation]))
}

/** Writes what the sources have, in their order, with the translations by id. Others are dropped. */
export function writeCatalog(
  file: string,
  language: string,
  sources: readonly SourceText[],
  translations: Readonly<Record<string, string>>,
): void {
  const po = new PO()
  po.comments = [' Texts of the console. `npm run texts` brings this file up to date with the sources.']
  po.headers = { Language: language, 'MIME-Version': '1.0', 'Content-Type': 'text/plain; charset=UTF-8' }
  po.items = sources.map(({ text, context, files, comments }) => {
    const item = new PO.Item()
    item.msgid = text
    if (context !== '') item.msgctxt = context
    item.references = [...files]
    item.extractedComments = [...comments]
    item.msgstr = [translations[idOf(text, context)] ?? '']
    return item
  })
  writeFileSync(file, `${po.toString()}\n`)
}
