// Texts of the operator's own: files of a folder, read once at start. `{{name}}` is a placeholder.
import { readFile, readdir } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { ConfigError } from '@bowline/contract/config'
import type { MailKind, MailValues } from '../kinds.ts'
import { MAIL_KINDS, eventSentence } from './drafts.ts'
import { type Letter, subjectLine } from './letter.ts'
import { sampleValues } from './samples.ts'
import { defused, escapeHtml, timeText } from './words.ts'

const SETTING = 'BOWLINE_MAIL_TEMPLATES'
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g
/** Longest file, in characters. */
const MAX_LENGTH = 100_000

interface Override {
  readonly subject: string
  readonly text: string
  readonly html: string | undefined
}

/** Texts by kind; kinds without one keep the built-in text. */
export type Overrides = ReadonlyMap<MailKind, Override>

/**
 * Reads the folder.
 * @param folder undefined: there is none
 * @throws {ConfigError} for every file that is no kind of mail, has no subject or names an unknown placeholder
 */
export async function readOverrides(folder: string | undefined): Promise<Overrides> {
  if (folder === undefined) return new Map()
  const names = await readdir(folder).catch((error: unknown) => {
    throw new ConfigError([`${SETTING}: ${folder} cannot be read (${String((error as NodeJS.ErrnoException).code)}).`])
  })
  const files = new Map<string, string>()
  const problems: string[] = []
  for (const name of names.filter((one) => /\.(?:txt|html)$/.test(one)).toSorted()) {
    const kind = MAIL_KINDS.find((one) => one === parse(name).name)
    if (!kind) {
      problems.push(`${SETTING}: ${name} is no kind of mail; the kinds are ${MAIL_KINDS.join(', ')}.`)
      continue
    }
    const text = await readFile(join(folder, name), 'utf8')
    files.set(name, text)
    problems.push(...problemsOf(name, kind, text))
  }
  for (const kind of MAIL_KINDS) {
    if (files.has(`${kind}.html`) && !files.has(`${kind}.txt`))
      problems.push(`${SETTING}: ${kind}.html needs ${kind}.txt beside it.`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return new Map(
    MAIL_KINDS.flatMap((kind) => {
      const file = files.get(`${kind}.txt`)
      if (file === undefined) return []
      const [, subject = '', text = ''] = SUBJECT.exec(file) ?? []
      return [[kind, { subject, text, html: files.get(`${kind}.html`) }] as const]
    }),
  )
}

const SUBJECT = /^Subject: *([^\r\n]*\S)[^\S\r\n]*\r?\n\s*([^]*)$/

function problemsOf(name: string, kind: MailKind, text: string): string[] {
  const known = placeholdersOf(kind)
  const unknown = [...text.matchAll(PLACEHOLDER)].flatMap(([, word = '']) => (known.includes(word) ? [] : [word]))
  return [
    ...(text.length > MAX_LENGTH ? [`${SETTING}: ${name} has more than ${MAX_LENGTH} characters.`] : []),
    ...(name.endsWith('.txt') && !SUBJECT.test(text)
      ? [`${SETTING}: ${name} must begin with a line such as “Subject: Your new password”.`]
      : []),
    ...[...new Set(unknown)].map(
      (word) => `${SETTING}: ${name}: there is no {{${word}}}; the placeholders are ${known.join(', ')}.`,
    ),
  ]
}

/** Placeholders of a kind: its values, and the console's host. */
export function placeholdersOf(kind: MailKind): readonly string[] {
  return [...Object.keys(sampleValues('')[kind]), 'host']
}

/** Fills the placeholders in. @param host of the console */
export function fillOverride(override: Override, values: MailValues[MailKind], host: string): Letter {
  const words: Readonly<Record<string, string>> = { ...wordsOf(values), host }
  const fill = (template: string, write: (word: string) => string): string =>
    template.replaceAll(PLACEHOLDER, (_, word: string) => write(words[word] ?? ''))
  const asIs = (word: string): string => word
  return {
    subject: subjectLine(fill(override.subject, asIs)),
    text: fill(override.text, asIs),
    html: override.html === undefined ? undefined : fill(override.html, escapeHtml),
  }
}

/** Values as safe texts. */
function wordsOf(values: MailValues[MailKind]): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, wordOf(name, value)]))
}

function wordOf(name: string, value: string | number): string {
  if (typeof value === 'number') return String(value)
  if (name === 'link') return value
  if (name === 'event') return eventSentence(value as MailValues['notice']['event'])
  return name === 'at' ? timeText(value) : defused(value)
}
