import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type AgentManifest,
  type KeyRotation,
  signManifest,
  signRotation,
  updateKeyOf,
  verifyManifest,
} from './manifest.ts'

const newKey = () => generateKeyPairSync('ed25519').privateKey
const [oldest, older, newest, stranger] = [newKey(), newKey(), newKey(), newKey()]
const rotations = [signRotation(oldest, updateKeyOf(older)), signRotation(older, updateKeyOf(newest))]

function signed(key = newest, chain: readonly KeyRotation[] = rotations, more: object = {}) {
  const manifest: AgentManifest = {
    format: 'bowline agents v1',
    release: 7,
    version: '1.0.0',
    minimum_release: 0,
    key: updateKeyOf(key),
    rotations: [...chain],
    bundles: { 'linux-x64': { file: 'bundle.tar.gz', size: 1, unpacked: 2, sha256: 'a'.repeat(64) } },
  }
  const bytes = Buffer.from(JSON.stringify({ ...manifest, ...more }))
  return { bytes, signature: signManifest(key, bytes) }
}
const verified = ({ bytes, signature }: ReturnType<typeof signed>, trusted = newest) =>
  verifyManifest(bytes, signature, updateKeyOf(trusted))

test('accepts a manifest by the trusted key, and by one that it leads to', () => {
  for (const trusted of [newest, older, oldest]) {
    expect(verified(signed(), trusted)).toMatchObject({ manifest: { release: 7, key: updateKeyOf(newest) } })
  }
})

test('refuses a manifest by a key that has been replaced', () => {
  const fault = { fault: 'it is signed by a key that the trusted one does not lead to' }
  expect(verified(signed(older, rotations.slice(0, 1)))).toEqual(fault)
  // A holder of the replaced key cannot mislead devices that no longer trust it.
  const elsewhere = [...rotations, signRotation(older, updateKeyOf(stranger))]
  expect(verified(signed(stranger, elsewhere))).toEqual(fault)
  expect(verified(signed(stranger, [signRotation(stranger, updateKeyOf(stranger))]))).toEqual(fault)
})

test('refuses each changed byte of manifest and signature', () => {
  const { bytes, signature } = signed()
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(verified({ bytes: changed, signature })).toHaveProperty('fault')
  }
  for (let at = 0; at < signature.length; at += 1) {
    const changed = Buffer.from(signature)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(verified({ bytes, signature: changed })).toEqual({ fault: 'its signature is wrong' })
  }
})

test('refuses other texts that the release key signs, and names of files that leave the folder', () => {
  const sums = Buffer.from(`${'a'.repeat(64)}  bundle.tar.gz\n`)
  expect(verified({ bytes: sums, signature: signManifest(newest, sums) })).toHaveProperty('fault')
  for (const file of ['../bundle', '/etc/passwd', '.hidden', 'a/b', '']) {
    const bundles = { 'linux-x64': { file, size: 1, unpacked: 2, sha256: 'a'.repeat(64) } }
    expect(verified(signed(newest, rotations, { bundles }))).toHaveProperty('fault')
  }
  const long = signed(newest, rotations, { padding: 'x'.repeat(64 * 1024) })
  expect(verified(long)).toEqual({ fault: 'the manifest is too long' })
})

test('reads manifests with fields that it does not know', () => {
  expect(verified(signed(newest, rotations, { later: true }))).toHaveProperty('manifest')
})
