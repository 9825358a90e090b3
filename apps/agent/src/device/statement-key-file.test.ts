import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { StatementKeyFile } from './statement-key-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'bowline-statement-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
const newPath = () => join(folder, `${(count += 1)}.json`)

const raw = (key: KeyObject) => key.export({ format: 'jwk' }).x ?? ''
const signatureOf = (key: KeyObject, offered: string) =>
  sign(null, Buffer.from(offered, 'base64url'), key).toString('base64url')
const first = generateKeyPairSync('ed25519')
const second = generateKeyPairSync('ed25519')

test('learns and stores the first key', () => {
  const path = newPath()
  const file = new StatementKeyFile(path)
  expect(file.key).toBeUndefined()
  expect(file.adopt(raw(first.publicKey), undefined)).toBe('learned')
  expect(file.adopt(raw(first.publicKey), undefined)).toBe('kept')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(Buffer.from(new StatementKeyFile(path).key ?? []).toString('base64url')).toBe(raw(first.publicKey))
})

test('replaces the key only with a signature by the known one', () => {
  const path = newPath()
  const file = new StatementKeyFile(path)
  file.adopt(raw(first.publicKey), undefined)
  const offered = raw(second.publicKey)
  expect(file.adopt(offered, undefined)).toBe('refused')
  expect(file.adopt(offered, signatureOf(second.privateKey, offered))).toBe('refused')
  expect(file.adopt(offered, 'x')).toBe('refused')
  expect(Buffer.from(file.key ?? []).toString('base64url')).toBe(raw(first.publicKey))
  expect(file.adopt(offered, signatureOf(first.privateKey, offered))).toBe('changed')
  expect(Buffer.from(new StatementKeyFile(path).key ?? []).toString('base64url')).toBe(offered)
})

test('rejects an invalid key', () => {
  const file = new StatementKeyFile(newPath())
  expect(file.adopt('', undefined)).toBe('refused')
  expect(file.adopt('AAAA', undefined)).toBe('refused')
  expect(file.key).toBeUndefined()
})

test.each(['', '{}', '{"version":2,"statement_key":"AAAA"}', 'x'])(
  'does not treat a damaged file (%o) as missing',
  (text) => {
    const path = newPath()
    writeFileSync(path, text)
    expect(() => new StatementKeyFile(path)).toThrow(path)
  },
)
