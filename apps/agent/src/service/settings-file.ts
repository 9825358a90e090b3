// The settings file of the installed agent, in the syntax that systemd (EnvironmentFile=, systemd.exec(5)) and sh
// share: NAME="value" with a backslash before `"`, `\`, `$` and the backquote. Readable by root only: it may hold
// secrets.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

export type Settings = Readonly<Record<string, string>>

const LINE = /^([A-Z_]+)="((?:[^"\\]|\\.)*)"$/
// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const CONTROL = /[\u0000-\u001f\u007f]/

/** @throws {RangeError} when a value contains a control character, which the syntax cannot express */
export function formatSettings(settings: Settings): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    if (CONTROL.test(value)) throw new RangeError(`${name} holds a control character.`)
    return `${name}="${value.replaceAll(/["\\$`]/g, '\\$&')}"\n`
  })
  return ['# Settings of the Bowline agent; `bowline agent install` changes them.\n', ...lines.toSorted()].join('')
}

export function parseSettingsFile(text: string): Settings {
  const entries = text.split('\n').flatMap((line) => {
    const [, name, value] = LINE.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value.replaceAll(/\\(.)/g, '$1')] as const]
  })
  return Object.fromEntries(entries)
}

/** Empty when there is no such file. */
export function readSettings(file: string): Settings {
  try {
    return parseSettingsFile(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

/** @returns whether the file changed */
export function writeSettings(file: string, settings: Settings): boolean {
  return writeIfChanged(file, formatSettings(settings), 0o600)
}

/** Replaces a file atomically if its content differs. @returns whether the file changed */
export function writeIfChanged(file: string, text: string, mode: number): boolean {
  try {
    if (readFileSync(file, 'utf8') === text) return false
  } catch {
    // The file does not exist yet.
  }
  writeFileSync(`${file}.new`, text, { mode })
  renameSync(`${file}.new`, file)
  return true
}
