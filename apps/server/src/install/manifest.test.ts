// The signed manifest of agents: served as it was signed, and only with the archives that it names.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import { systemClock } from '@bowline/base/clock'
import { type AgentManifest, signRotation, updateKeyOf, verifyManifest } from '@bowline/link/agent-manifest'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { appendRotation, writeManifest } from '../../../../scripts/release/manifest.ts'
import { makeSmallArchive } from '../../../../scripts/release/small-archive.ts'
import { createHttpServer } from '../http/server.ts'
import { silentLog } from '../platform/log.ts'
import { Bundles } from './bundles.ts'
import { Manifests } from './manifest.ts'
import { serveInstall } from './routes.ts'

let folder: string
let bundle: string
let server: FastifyInstance
const key = generateKeyPairSync('ed25519').privateKey
const next = generateKeyPairSync('ed25519').privateKey

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-manifest-'))
  await mkdir(join(folder, 'bundles'))
  bundle = join(folder, 'bundles', 'bundle-linux-x64.tar.gz')
  await writeFile(bundle, gzipSync(Buffer.alloc(100_000, 'agent')))
  for (const [name, one] of Object.entries({ key, next })) {
    await writeFile(join(folder, `${name}.pem`), one.export({ type: 'pkcs8', format: 'pem' }))
  }
  server = await createHttpServer({
    isKnownHost: () => true,
    clock: systemClock,
    log: silentLog,
    authenticator: { admit: (_, base) => Promise.resolve(base) },
    routes: [],
    trustedProxies: [],
  })
  const bundles = new Bundles(
    { bundles: join(folder, 'bundles'), maker: join(folder, 'no-maker') },
    systemClock,
    silentLog,
  )
  serveInstall(server, { bundles, manifests: new Manifests(join(folder, 'bundles'), bundles), pin: '' })
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })
function release(
  signer: string | undefined,
  rotations?: string,
  packages?: Record<string, string>,
  small?: Record<string, string>,
): void {
  writeManifest({
    folder: join(folder, 'bundles'),
    bundles: { 'linux-x64': bundle },
    ...(packages && { packages }),
    ...(small && { small }),
    key: signer === undefined ? undefined : join(folder, `${signer}.pem`),
    version: '1.2.3',
    release: 5,
    minimumRelease: 2,
    rotations,
  })
}
const reasonOf = async (): Promise<string> => (await get('/agent/manifest.json')).json<{ message: string }>().message

it('serves the manifest of a release so that a device can verify it', async () => {
  release('key')
  const [manifest, signature] = await Promise.all([get('/agent/manifest.json'), get('/agent/manifest.json.sig')])
  expect(verifyManifest(manifest.rawPayload, signature.rawPayload, updateKeyOf(key))).toMatchObject({
    manifest: { release: 5, minimum_release: 2, bundles: { 'linux-x64': { unpacked: 100_000 } } },
  })
  expect((await get('/install.sh')).body).toContain(`default_update_key='${updateKeyOf(key)}'\n`)
})

it('names the packages of a release, so that their bytes can be compared with what was signed', async () => {
  const file = join(folder, 'bowline-agent_1.2.3_amd64.deb')
  await writeFile(file, 'a package')
  release('key', undefined, { 'linux-x64': file })
  const [manifest, signature] = await Promise.all([get('/agent/manifest.json'), get('/agent/manifest.json.sig')])
  const sha256 = createHash('sha256').update('a package').digest('hex')
  expect(verifyManifest(manifest.rawPayload, signature.rawPayload, updateKeyOf(key))).toMatchObject({
    manifest: { packages: { 'linux-x64': { file: 'bowline-agent_1.2.3_amd64.deb', size: 9, sha256 } } },
  })
  release('key')
  expect((await get('/agent/manifest.json')).json()).not.toHaveProperty('packages')
})

it('names the smaller archive of a release, and serves it', async () => {
  expect((await get('/agent/bundle-linux-x64.tar.zst')).statusCode).toBe(404)
  const small = makeSmallArchive(bundle, 1)
  release('key', undefined, undefined, { 'linux-x64': small })
  const named = (await get('/agent/manifest.json')).json<AgentManifest>().bundles['linux-x64']?.small
  const answer = await get(`/agent/${named?.file}`)
  expect(answer.rawPayload).toHaveLength(named?.size ?? 0)
  expect(createHash('sha256').update(answer.rawPayload).digest('hex')).toBe(named?.sha256)
  expect(zstdDecompressSync(answer.rawPayload)).toEqual(gunzipSync(await readFile(bundle)))
  await appendFile(small, 'more')
  expect(await reasonOf()).toContain('its archive for linux-x64 is not the one that was signed')
})

it('leads devices to the next key by a statement of the one before', async () => {
  const rotations = join(folder, 'rotations.json')
  appendRotation(rotations, join(folder, 'key.pem'), join(folder, 'next.pem'))
  release('next', rotations)
  const [manifest, signature] = await Promise.all([get('/agent/manifest.json'), get('/agent/manifest.json.sig')])
  for (const trusted of [key, next]) {
    expect(verifyManifest(manifest.rawPayload, signature.rawPayload, updateKeyOf(trusted))).toHaveProperty('manifest')
  }
  await writeFile(rotations, JSON.stringify([signRotation(next, updateKeyOf(key))]))
  expect(() => release('next', rotations)).toThrow('does not end with the key of')
})

it('has no updates, with the reason, unless a manifest is signed for what is served', async () => {
  expect([(await get('/agent/manifest.json')).statusCode, await reasonOf()]).toEqual([
    404,
    'This server has no updates of agents: its agents are not signed.',
  ])
  expect((await get('/install.sh')).body).toContain("default_update_key=''\n")
  release('key')
  await writeFile(bundle, gzipSync(Buffer.alloc(100_000, 'other')))
  expect(await reasonOf()).toContain('its archive for linux-x64 is not the one that was signed')
  release('key')
  await appendFile(join(folder, 'bundles', 'manifest.json'), ' ')
  expect(await reasonOf()).toContain('its signature is wrong')
  release(undefined)
  expect(await reasonOf()).toContain('its agents are not signed')
})

it('sends the rest of an archive after a broken transfer', async () => {
  const whole = (await get('/agent/bundle-linux-x64.tar.gz')).rawPayload
  const rest = await get('/agent/bundle-linux-x64.tar.gz', { range: 'bytes=10-' })
  expect([rest.statusCode, rest.headers['content-range']]).toEqual([
    206,
    `bytes 10-${whole.length - 1}/${whole.length}`,
  ])
  expect(rest.rawPayload.equals(whole.subarray(10))).toBe(true)
  expect((await get('/agent/bundle-linux-x64.tar.gz', { range: `bytes=${whole.length}-` })).statusCode).toBe(416)
  for (const range of ['bytes=-5', 'bytes=0-5,7-9', 'lines=1-']) {
    const answer = await get('/agent/bundle-linux-x64.tar.gz', { range })
    expect([answer.statusCode, answer.rawPayload.length]).toEqual([200, whole.length])
  }
})
