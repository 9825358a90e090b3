import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { DeviceKeyError, loadDeviceKey } from './key.ts'

const folder = mkdtempSync(join(tmpdir(), 'bowline-key-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('creates a missing key, private with its folders, and loads it again', () => {
  const path = join(folder, 'new/deep/agent.key')
  const first = loadDeviceKey(path)
  expect(first.made).toBe(true)
  expect(first.publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----/)
  expect([path, join(folder, 'new/deep'), join(folder, 'new')].map((file) => statSync(file).mode & 0o777)).toEqual([
    0o600, 0o700, 0o700,
  ])
  expect(loadDeviceKey(path)).toMatchObject({ made: false, publicKeyPem: first.publicKeyPem })
})

test.each([0o640, 0o604, 0o660, 0o610])('rejects a key file of mode %o with advice', (mode) => {
  const path = join(folder, `mode-${mode}`)
  loadDeviceKey(path)
  chmodSync(path, mode)
  expect(() => loadDeviceKey(path)).toThrow(`chmod 600 ${path}`)
})

test('keeps the format of an older agent’s RSA key', () => {
  const path = join(folder, 'rsa.key')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(path, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 })
  expect(loadDeviceKey(path).publicKeyPem).toMatch(/^-----BEGIN RSA PUBLIC KEY-----\n/)
})

test.each([
  ['empty', ''],
  ['text', 'hello'],
  [
    'another curve',
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  ],
])('rejects a file that holds %s and leaves it unchanged', (name, content) => {
  const path = join(folder, `odd-${name}`)
  writeFileSync(path, content, { mode: 0o600 })
  expect(() => loadDeviceKey(path)).toThrow(DeviceKeyError)
  expect(statSync(path).size).toBe(content.length)
})

test('reports the path when the file cannot be created', () => {
  expect(() => loadDeviceKey('/dev/null/agent.key')).toThrow(/^\/dev\/null\/agent\.key cannot be read/)
})
