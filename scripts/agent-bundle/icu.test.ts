import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withoutLanguages } from './icu.ts'

let folder: string
let program: Buffer
let smaller: Buffer
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-icu-'))
  program = readFileSync(process.execPath)
  smaller = withoutLanguages(program)
  writeFileSync(join(folder, 'node'), smaller, { mode: 0o755 })
})
afterAll(() => rmSync(folder, { recursive: true }))

const runs = (code: string, locale: string): string =>
  execFileSync(join(folder, 'node'), ['-p', code], {
    encoding: 'utf8',
    env: { LANG: locale, LC_ALL: locale, TZ: 'Europe/Berlin' },
  }).trimEnd()

const ZEROS = Buffer.alloc(4_096)
/** Bytes of blocks that file systems keep as holes. */
function holesIn(bytes: Buffer): number {
  let holes = 0
  for (let at = 0; at < bytes.length; at += ZEROS.length) {
    if (ZEROS.equals(bytes.subarray(at, at + ZEROS.length))) holes += ZEROS.length
  }
  return holes
}

test('has holes for a fifth of the program, at the same length', () => {
  expect(smaller.length).toBe(program.length)
  expect(holesIn(smaller) - holesIn(program)).toBeGreaterThan(20_000_000)
})

test.each([
  ['text of any script', `'Grüße, 世界'.toUpperCase().normalize('NFD').length`, '11'],
  ['properties in patterns', String.raw`/^\p{Lu}\p{Cc}\p{Cf}$/u.test('Ä\u0007\u200b')`, 'true'],
  ['UTF-8 that is checked', `new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from('€'))`, '€'],
  ['UTF-16', `new TextDecoder('utf-16le').decode(Buffer.from('€', 'utf16le'))`, '€'],
  ['Latin-1', `Buffer.from([0xe4]).toString('latin1')`, 'ä'],
  ['names of hosts', `new URL('https://münchen.example/').host`, 'xn--mnchen-3ya.example'],
  ['time zones', `new Date(1751364000000).getHours()`, '12'],
  ['a date as text', `new Date(1751364000000).toString().slice(0, 33)`, 'Tue Jul 01 2025 12:00:00 GMT+0200'],
  ['the order of words', `['b', 'ä', 'a'].sort((x, y) => x.localeCompare(y)).join('')`, 'aäb'],
  ['numbers', `(1234.5).toLocaleString('en')`, '1,234.5'],
])('has %s, whatever the language of the machine', (_, code, expected) => {
  for (const locale of ['C', 'en_US.UTF-8', 'de_DE.UTF-8', 'tr_TR.UTF-8', 'ja_JP.UTF-8', 'nonsense']) {
    expect(runs(code, locale)).toBe(expected)
  }
})

test('falls back to the root for what languages it does not have', () => {
  expect(runs(`(1234.5).toLocaleString('de') + ' ' + new Date(0).toLocaleDateString('fr')`, 'de_DE.UTF-8')).toMatch(
    /^1.?234.5 \S+/,
  )
  expect(runs(`new Intl.Collator('sv').compare('a', 'b')`, 'sv_SE.UTF-8')).toBe('-1')
})

test('rejects a program without the data, and one with another layout', () => {
  expect(() => withoutLanguages(Buffer.alloc(1_000))).toThrow('no data of ICU')
  const other = Buffer.alloc(1_000)
  other.writeUInt16LE(32, 0)
  other.writeUInt16BE(0xda27, 2)
  other.write('CmnD', 12)
  expect(() => withoutLanguages(other)).toThrow('another layout')
})
