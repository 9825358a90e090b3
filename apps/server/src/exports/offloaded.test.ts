// Archives of namespaces whose recordings move to a real S3 store, or are deleted, while they are written; and the end of
// recordings in that store with their namespace.
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { type Swift, startSwift, swiftMissing } from '@bowline/testkit/swift'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type S3Client, createS3Client } from '../platform/s3/client.ts'
import { type BootedServer, PASSWORD, type Person, bootServer } from '../testing/boot.ts'
import { postFrame } from '../testing/http-server.ts'

const { namespaces, sessions, auth } = operations
const run = promisify(execFile)
const missing = swiftMissing()
const PATIENCE_MS = 60_000
const COUNT = 12
const BUCKET = 'recordings'
const clock = new ManualClock(Date.now())
let swift: Swift
let server: BootedServer
let owner: Person
let folder: string
beforeAll(async () => {
  if (missing !== undefined) return
  swift = await startSwift()
  await makeBucket()
  server = await bootServer({
    clock,
    settings: {
      BOWLINE_S3_ENDPOINT: swift.endpoint,
      BOWLINE_S3_BUCKET: BUCKET,
      BOWLINE_S3_ACCESS_KEY_ID: swift.accessKeyId,
      BOWLINE_S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
    },
  })
  owner = await server.setUpAccount()
  folder = await mkdtemp(join(tmpdir(), 'bowline-offloaded-'))
})
afterAll(async () => {
  await server?.close()
  await swift?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

function store(): Promise<S3Client> {
  const { region, accessKeyId, secretAccessKey, endpoint } = swift
  const where = { endpoint: new URL(endpoint), region, bucket: BUCKET, prefix: '', pathStyle: true }
  return createS3Client({ ...where, credentials: { accessKeyId, secretAccessKey } }, new AbortController().signal)
}

/** An object with an empty name is the bucket. */
async function makeBucket(): Promise<void> {
  const empty = { bytes: Buffer.alloc(0), hash: createHash('sha256').update('').digest('hex') }
  await (await store()).put('', empty)
}

const rows = () => server.database.system().selectFrom('recordings').selectAll().where('tenant_id', '=', owner.tenant)
const placesOf = async () => (await rows().execute()).map(({ place }) => place)

/** Posts a recording and ages it, so that it is indexed and uploaded soon. */
async function record(device: string, text: string): Promise<string> {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  const session = { uid, tenant_id: owner.tenant, device_uid: device as never, username: 'root', type: 'term' as const }
  await server.database.system().insertInto('sessions').values(session).execute()
  await postFrame(server, uid, text)
  const aged = server.database
    .system()
    .updateTable('recordings')
    .set({ ended_at: new Date(Date.now() - 86_400_000) })
  await aged.where('session_uid', '=', uid).execute()
  return uid
}

/** The recordings of a new archive by id, and what it left out. */
async function archived(): Promise<{ texts: Map<string, string>; left: string }> {
  const body = { username: owner.username, password: PASSWORD }
  const { token } = (await server.client().call(auth.login, { body })).body
  const link = await server.client(token).call(namespaces.export, { params: { tenant: owner.tenant } })
  const bytes = new Uint8Array(await (await server.fetch(link.body.path)).arrayBuffer())
  const path = await mkdtemp(join(folder, 'open-'))
  await writeFile(join(path, 'archive'), bytes)
  await run('tar', ['--extract', '--gzip', '--file', 'archive'], { cwd: path })
  await run('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: path })
  const names = await readdir(join(path, 'recordings'))
  const texts = names.map(
    async (name) => [name.slice(0, 36), await readFile(join(path, 'recordings', name), 'utf8')] as const,
  )
  return {
    texts: new Map(await Promise.all(texts)),
    left: await readFile(join(path, 'recordings-left-out.jsonl'), 'utf8'),
  }
}

describe.skipIf(missing)(`with recordings in a store${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('has every recording however far it has moved', { timeout: 4 * PATIENCE_MS }, async () => {
    const { uid: device } = await server.acceptedDevice(owner)
    const texts = Array.from({ length: COUNT }, (_, i) => `output ${i} ${randomBytes(20_000).toString('hex')}`)
    for (const text of texts) await record(device, text)
    const sorted = (found: Map<string, string>): string[] =>
      [...found.values()].map((cast) => /output \d+/.exec(cast)?.[0] ?? '').sort()
    const expected = texts.map((text) => text.split(' ', 2).join(' ')).sort()
    const seen = new Set<string>()
    for (let round = 0; (await placesOf()).some((place) => place !== 'object'); round += 1) {
      clock.advance(60_000)
      const { texts: found, left } = await archived()
      expect([round, left, sorted(found)]).toEqual([round, '', expected])
      for (const place of await placesOf()) seen.add(place)
      if (round > 100) throw new Error('the recordings do not move')
    }
    const { texts: found, left } = await archived()
    expect([left, sorted(found), [...seen]]).toEqual(['', expected, expect.arrayContaining(['object'])])
  })

  it('names recordings that are deleted while the archive is written', { timeout: 2 * PATIENCE_MS }, async () => {
    const all = await rows().execute()
    const [gone] = all
    if (!gone) throw new Error('no recording')
    const exporting = archived()
    const params = { uid: gone.session_uid, seat: String(gone.seat) }
    const removing = owner.client.call(sessions.removeRecord, { params })
    const { texts, left } = await exporting
    await removing
    // Before or after: either it is whole, or it is named, or the snapshot has it no more.
    const named =
      left === ''
        ? []
        : left
            .trim()
            .split('\n')
            .map((line) => (JSON.parse(line) as { recording: string }).recording)
    expect([...texts.keys(), ...named].includes(gone.id) || texts.size === all.length - 1).toBe(true)
    expect(texts.size + named.length).toBeGreaterThanOrEqual(all.length - 1)
  })

  it('loses its objects after the week, not before', { timeout: 2 * PATIENCE_MS }, async () => {
    const ids = (await rows().execute()).map(({ id }) => id)
    const client = await store()
    const isThere = async () => (await Promise.all(ids.map((id) => client.find(`${id}.cast`)))).filter(Boolean).length
    await owner.client.call(namespaces.remove, { params: { tenant: owner.tenant } })
    clock.advance(600_000)
    expect(await isThere()).toBe(ids.length)
    clock.advance(7 * 86_400_000)
    const look = async (): Promise<boolean> => {
      clock.advance(600_000)
      return (await isThere()) === 0
    }
    await until(look, { timeout: PATIENCE_MS, interval: 250 })
  })
})
