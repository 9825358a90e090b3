// The manifest of an installed program: only a verified one of the very archive is put beside it.
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signManifest, updateKeyOf } from '@bowline/link/agent-manifest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MANIFEST_FILE, ManifestError, keepManifest } from './own-release.ts'

const signer = generateKeyPairSync('ed25519').privateKey
const key = updateKeyOf(signer)
const sum = 'ab'.repeat(32)
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-own-release-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Writes what the install script has fetched. @param content instead of the signed bytes */
function fetched(content?: string) {
  const bundle = { file: 'bundle.tar.gz', size: 1, unpacked: 1, sha256: sum }
  const bundles = { 'linux-x64': bundle }
  const said = {
    format: 'bowline agents v1',
    release: 7,
    version: '1.0.0',
    minimum_release: 0,
    key,
    rotations: [],
    bundles,
  }
  const bytes = Buffer.from(JSON.stringify(said))
  const files = { manifest: join(folder, 'fetched'), signature: join(folder, 'fetched.sig') }
  writeFileSync(files.manifest, content ?? bytes)
  writeFileSync(files.signature, signManifest(signer, bytes))
  return { ...files, sum, platform: 'linux-x64' }
}

test('keeps a manifest that the key has signed', () => {
  keepManifest(fetched(), key, folder)
  expect(JSON.parse(readFileSync(join(folder, MANIFEST_FILE), 'utf8'))).toMatchObject({ release: 7 })
})

test.each([
  ['one with another number than was signed', () => keepManifest(fetched('{"release":9007199254740991}'), key, folder)],
  ['one by another key', () => keepManifest(fetched(), updateKeyOf(generateKeyPairSync('ed25519').privateKey), folder)],
  ['one of another archive', () => keepManifest({ ...fetched(), sum: 'cd'.repeat(32) }, key, folder)],
  ['one of another platform', () => keepManifest({ ...fetched(), platform: 'linux-arm64' }, key, folder)],
  ['one without a key to verify it', () => keepManifest(fetched(), undefined, folder)],
])('keeps no manifest: %s', (_, keep) => {
  expect(keep).toThrow(ManifestError)
  expect(existsSync(join(folder, MANIFEST_FILE))).toBe(false)
})
