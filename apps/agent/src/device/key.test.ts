import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { DeviceKeyError, loadDeviceKey } from './key.ts'

const folder = mkdtempSync(join(tmpdir(), 'bowline-key-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a missing key is made, private with its folders, and found again', () => {
  const path = join(folder, 'new/deep/agent.key')
  const first = loadDeviceKey(path)
  expect(first.made).toBe(true)
  expect(first.publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----/)
  expect([path, join(folder, 'new/deep'), join(folder, 'new')].map((file) => statSync(file).mode & 0o777)).toEqual([
    0o600, 0o700, 0o700,
  ])
  expect(loadDeviceKey(path)).toMatchObject({ made: false, publicKeyPem: first.publicKeyPem })
})

test.each([0o640, 0o604, 0o660, 0o610])('a key file of mode %o is refused with what to do', (mode) => {
  const path = join(folder, `mode-${mode}`)
  loadDeviceKey(path)
  chmodSync(path, mode)
  expect(() => loadDeviceKey(path)).toThrow(`chmod 600 ${path}`)
})

test('the RSA key of an older agent keeps its form', () => {
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
])('a file that holds %s is refused and left alone', (name, content) => {
  const path = join(folder, `odd-${name}`)
  writeFileSync(path, content, { mode: 0o600 })
  expect(() => loadDeviceKey(path)).toThrow(DeviceKeyError)
  expect(statSync(path).size).toBe(content.length)
})

test('a place where no file can be is told by its path', () => {
  expect(() => loadDeviceKey('/dev/null/agent.key')).toThrow(/^\/dev\/null\/agent\.key cannot be read/)
})
