// Releases that a server may get a device to install: an attacker has taken the server over, with all that was ever signed.
import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentManifest, signManifest, signRotation, updateKeyOf } from '@bowline/link/agent-manifest'
import { parseServerAddress } from '@bowline/link/server-address'
import { until } from '@bowline/testkit/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UpdateFile } from '../device/update-file.ts'
import { fetchFile } from './fetch.ts'
import { findOffer } from './offer.ts'
import { prepare } from './prepare.ts'

const newKey = () => generateKeyPairSync('ed25519').privateKey
const [key, next, stranger] = [newKey(), newKey(), newKey()]
const ARCHIVE = Buffer.alloc(5_000_000, 'archive')
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

let folder: string
let server: Server
let updates: UpdateFile
let keyChanges: string[]
/** Files of the server, by path. */
let files: Record<string, Buffer>
/** Closes the connection after this many bytes of the archive, as often as there are numbers. */
let cuts: number[]
let ranges: (string | undefined)[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-offer-'))
  files = { '/agent/bundle.tar.gz': ARCHIVE }
  cuts = []
  ranges = []
  keyChanges = []
  updates = new UpdateFile(join(folder, 'updates.json'), updateKeyOf(key))
  server = createServer((request, response) => {
    const bytes = files[request.url ?? '']
    if (bytes === undefined) return response.writeHead(404).end()
    if (request.url !== '/agent/bundle.tar.gz') return response.end(bytes)
    ranges.push(request.headers.range)
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const cut = cuts.shift()
    response.writeHead(start > 0 ? 206 : 200)
    if (cut === undefined) return response.end(bytes.subarray(start))
    response.write(bytes.subarray(start, cut), () => response.socket?.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

function parts() {
  const address = parseServerAddress(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  if ('fault' in address) throw new Error(address.fault)
  return {
    server: { address: address.value, pins: undefined },
    userAgent: 'test',
    signal: new AbortController().signal,
  }
}
const offered = (running = 5) =>
  findOffer({
    ...parts(),
    updates,
    running,
    platform: 'linux-x64',
    keyChanged: (one) => void keyChanges.push(one),
  })

function publish(release: number, more: Partial<AgentManifest> = {}, signer: KeyObject = key): void {
  const bundle = { file: 'bundle.tar.gz', size: ARCHIVE.length, unpacked: 1_000_000, sha256: sha256(ARCHIVE) }
  const manifest = {
    format: 'bowline agents v1',
    release,
    version: '1.0.0',
    minimum_release: 0,
    key: updateKeyOf(signer),
    rotations: [],
    bundles: { 'linux-x64': bundle },
    ...more,
  }
  const bytes = Buffer.from(JSON.stringify(manifest))
  files['/agent/manifest.json'] = bytes
  files['/agent/manifest.json.sig'] = signManifest(signer, bytes)
}

test('offers a newer release that the trusted key has signed', async () => {
  publish(6)
  expect(await offered()).toMatchObject({ release: 6, bundle: { file: 'bundle.tar.gz' } })
})

test('refuses what another key has signed, although everything else is right', async () => {
  publish(6, {}, stranger)
  expect(await offered()).toMatchObject({ isAttack: true })
  publish(6, { rotations: [signRotation(stranger, updateKeyOf(stranger))] }, stranger)
  expect(await offered()).toMatchObject({ isAttack: true })
})

test('refuses a release older than the one that runs, and than the newest that has run', async () => {
  publish(4)
  expect(await offered(5)).toEqual({ reason: 'release 4 is older than 5, which has run here', isAttack: true })
  updates.worked(8)
  publish(7)
  // As after a return to the version before.
  expect(await offered(5)).toMatchObject({ isAttack: true })
  publish(8)
  expect(await offered(5)).toMatchObject({ release: 8 })
})

test('follows a change of the key, and refuses the earlier one from then on', async () => {
  const rotations = [signRotation(key, updateKeyOf(next))]
  publish(6, { rotations }, next)
  expect(await offered()).toMatchObject({ release: 6 })
  expect(keyChanges).toEqual([updateKeyOf(next)])
  publish(7)
  expect(await offered()).toMatchObject({ isAttack: true })
  // Kept for the next process of this device.
  expect(new UpdateFile(updates.path, updateKeyOf(key)).key).toBe(updateKeyOf(next))
  // A person at the device has set another key.
  expect(new UpdateFile(updates.path, updateKeyOf(stranger)).key).toBe(updateKeyOf(stranger))
})

test('does not try again what has failed, until another manifest is signed', async () => {
  publish(6)
  const offer = await offered()
  if (!('digest' in offer)) throw new Error(offer.reason)
  updates.begin(6, offer.digest)
  updates.failed('it was bad', false)
  expect(await offered()).toEqual({ reason: 'release 6 has failed here: it was bad' })
  publish(6, { version: '1.0.1' })
  expect(await offered()).toMatchObject({ release: 6 })
})

test('tries again what was interrupted, but not for ever', async () => {
  publish(6)
  for (let times = 0; times < 3; times += 1) {
    const offer = await offered()
    if (!('digest' in offer)) throw new Error(offer.reason)
    updates.begin(6, offer.digest)
    updates.failed('a power cut', true)
  }
  expect(await offered()).toEqual({ reason: 'release 6 has failed here: a power cut' })
})

test('names the release that must come first, and a platform without an agent', async () => {
  publish(9, { minimum_release: 7 })
  expect(await offered(5)).toEqual({ reason: 'it needs release 7 first, this is 5' })
  publish(9, { bundles: {} })
  expect(await offered(5)).toEqual({ reason: 'release 9 has no agent for linux-x64' })
})

test('keeps what it knows in a file for root only', () => {
  updates.worked(3)
  expect(statSync(updates.path).mode & 0o777).toBe(0o600)
})

const expected = { size: ARCHIVE.length, sha256: sha256(ARCHIVE) }
const fetched = () => fetchFile(parts(), '/agent/bundle.tar.gz', join(folder, 'archive'), expected)

test('goes on with an archive where a broken transfer stopped', async () => {
  cuts = [4_000_000]
  await expect(fetched()).rejects.toThrow('aborted')
  const { size } = statSync(join(folder, 'archive'))
  expect(size).toBeGreaterThan(0)
  await fetched()
  expect(ranges).toEqual([undefined, `bytes=${size}-`])
  expect(readFileSync(join(folder, 'archive')).equals(ARCHIVE)).toBe(true)
})

test('throws a wrong archive away, and one that is too long', async () => {
  files['/agent/bundle.tar.gz'] = Buffer.alloc(ARCHIVE.length, 'other')
  await expect(fetched()).rejects.toThrow('its SHA-256 differs')
  expect(readdirSync(folder)).not.toContain('archive')
  files['/agent/bundle.tar.gz'] = Buffer.alloc(ARCHIVE.length + 1, 'archive')
  await expect(fetched()).rejects.toThrow('longer than the manifest says')
  expect(statSync(join(folder, 'archive')).size).toBeLessThanOrEqual(ARCHIVE.length)
})

test('works in no folder that another user made, or may write to', async () => {
  publish(6)
  const offer = await offered()
  if (!('digest' in offer)) throw new Error(offer.reason)
  const folders = { programs: folder, work: join(folder, 'work') }
  mkdirSync(folders.work)
  chmodSync(folders.work, 0o777)
  await expect(prepare(parts(), offer, folders)).rejects.toThrow('not a folder of this user alone')
  rmSync(folders.work, { recursive: true })
  mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 })
  symlinkSync(join(folder, 'elsewhere'), folders.work)
  await expect(prepare(parts(), offer, folders)).rejects.toThrow('not a folder of this user alone')
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
  expect(ranges).toEqual([])
})

test('asks for nothing where it does not fit', async () => {
  const bundle = { file: 'bundle.tar.gz', size: 2 ** 28, unpacked: 2 ** 30, sha256: sha256(ARCHIVE) }
  publish(6, { bundles: { 'linux-x64': bundle } })
  const offer = await offered()
  if (!('digest' in offer)) throw new Error(offer.reason)
  const folders = { programs: folder, work: join(folder, 'work'), freeBytes: () => 4_096 }
  await expect(prepare(parts(), offer, folders)).rejects.toThrow('less than 1312 MB are free')
  expect(ranges).toEqual([])
})

/** An archive whose program runs the script. */
function archiveOf(script: string): void {
  const bundle = join(folder, 'bowline-agent-2')
  mkdirSync(bundle)
  writeFileSync(join(bundle, 'bowline'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  files['/agent/bundle.tar.gz'] = execFileSync('tar', ['-cz', '--format=ustar', '-C', folder, 'bowline-agent-2'])
}

async function prepared(): Promise<string> {
  const archive = files['/agent/bundle.tar.gz'] ?? Buffer.alloc(0)
  const bundle = { file: 'bundle.tar.gz', size: archive.length, unpacked: 1_000_000, sha256: sha256(archive) }
  publish(6, { bundles: { 'linux-x64': bundle } })
  const offer = await offered()
  if (!('digest' in offer)) throw new Error(offer.reason)
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  return prepare(parts(), offer, { programs, work: join(folder, 'work') })
}

test('serves its sessions while it tries whether the new version starts', async () => {
  const [started, go] = [join(folder, 'started'), join(folder, 'go')]
  // The program ends well only if this process, which started it, sees it running and answers.
  archiveOf(`touch ${started}; for i in $(seq 100); do test -e ${go} && exit 0; sleep 0.05; done; exit 1`)
  const answered = until(() => existsSync(started)).then(() => writeFileSync(go, ''))
  const [name] = await Promise.all([prepared(), answered])
  expect(name).toBe('bowline-agent-2')
})

test('says why the new version does not start, on one line', async () => {
  archiveOf('echo "no such library" >&2; echo more >&2; exit 3')
  await expect(prepared()).rejects.toThrow(/^the new version does not start here: no such library$/)
  rmSync(join(folder, 'programs'), { recursive: true })
  rmSync(join(folder, 'bowline-agent-2'), { recursive: true })
  archiveOf('exit 3')
  await expect(prepared()).rejects.toThrow(/^the new version does not start here: it ended with 3$/)
})
