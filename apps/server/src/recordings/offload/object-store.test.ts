// Recordings in a real S3 store: uploaded when finished, fetched when read, and nothing is lost when the store or the
// server is down meanwhile.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { type ChaosProxy, startChaosProxy } from '@bowline/testkit/chaos-proxy'
import { type Swift, startSwift, swiftMissing } from '@bowline/testkit/swift'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { postFrame } from '../../testing/http-server.ts'
import type { Log, LogFields } from '../../platform/log.ts'
import { nodeName } from '../../platform/node-name.ts'
import { type S3Client, type S3Settings, createS3Client } from '../../platform/s3/client.ts'
import { giveNoCredentials } from '../../platform/s3/testing.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer, databaseUrl, outcome } from '../../testing/boot.ts'
import { createObjects } from './objects.ts'
import { PART_BYTES } from './multipart.ts'
import { createTableCache } from '../file/table-cache.ts'
import { until } from '@bowline/testkit/until'

const { sessions } = operations
const BUCKET = 'recordings'
const PREFIX = 'of/bowline/'
/** Starts at the current time: the database sets the end times of recordings, the server's clock computes their age. */
const clock = new ManualClock(Date.now())
const logged: { ev: string; fields: LogFields }[] = []
const missing = swiftMissing()
/** Timeout of a poll on a busy machine. */
const PATIENCE_MS = 60_000
const patiently = { timeout: PATIENCE_MS }
/** Timeout for tests with several polls. */
const MANY_STEPS = { timeout: 5 * PATIENCE_MS }
let swift: Swift
/** Proxy between the server and the store. */
let way: ChaosProxy
let server: BootedServer
let person: Person
let store: S3Client

beforeAll(async () => {
  if (missing !== undefined) return
  swift = await startSwift()
  way = await startChaosProxy({ target: swift })
  await (await clientWith({ prefix: '' })).put('', bodyOf(''))
  store = await clientWith({})
  server = await bootServer({ clock, settings: settings(way), log: keep(logged) })
  person = await server.setUpAccount()
})
afterAll(async () => {
  await server?.close()
  await way?.close()
  await swift?.close()
})

const settings = ({ port }: { port: number }, secret = swift.secretAccessKey): Record<string, string> => ({
  BOWLINE_S3_ENDPOINT: `http://127.0.0.1:${port}`,
  BOWLINE_S3_BUCKET: BUCKET,
  BOWLINE_S3_PREFIX: PREFIX,
  BOWLINE_S3_ACCESS_KEY_ID: swift.accessKeyId,
  BOWLINE_S3_SECRET_ACCESS_KEY: secret,
})

/** A client of the test, connected directly to the store. */
function clientWith(change: Partial<S3Settings>): Promise<S3Client> {
  const { region, accessKeyId, secretAccessKey, endpoint } = swift
  const where = { endpoint: new URL(endpoint), region, bucket: BUCKET, prefix: PREFIX, pathStyle: true }
  const credentials = { accessKeyId, secretAccessKey }
  return createS3Client({ ...where, credentials, ...change }, new AbortController().signal)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const bodyOf = (text: string) => ({ bytes: Buffer.from(text), hash: sha256(text) })

function keep(lines: { ev: string; fields: LogFields }[]): Log {
  const add = (ev: string, fields: LogFields = {}): void => void lines.push({ ev, fields })
  const log: Log = { debug: () => undefined, info: add, warn: add, error: add, child: () => log }
  return log
}

const at = (uid: SessionUid) => ({ params: { uid, seat: '0' } })
const verdict = async (uid: SessionUid) => (await person.client.call(sessions.verifyRecord, at(uid))).body
const get = (path: string) => server.fetch(path, { headers: { authorization: `Bearer ${person.auth.token}` } })
const castOf = async (uid: SessionUid) => (await get(`/api/sessions/${uid}/records/0?format=cast3`)).text()
const health = async () => (await server.fetch('/healthcheck')).headers.get('x-degraded')
const metric = async (name: string) =>
  new RegExp(`^${name} (\\d+)$`, 'm').exec(
    await (await server.fetch('/metrics', { headers: server.nodeHeaders })).text(),
  )?.[1]

/** A finished session with a recording of these frames, a second apart. */
async function recorded(...messages: string[]) {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  const { uid: device } = await server.acceptedDevice(person)
  const row = { uid, tenant_id: person.tenant, device_uid: device, username: 'root', type: 'term' as const }
  await server.database.system().insertInto('sessions').values(row).execute()
  for (const message of messages) {
    clock.advance(1_000)
    await postFrame(server, uid, message)
  }
  return { uid, device, id: (await rowOf(uid)).id }
}

const rowOf = (uid: SessionUid) =>
  server.database.system().selectFrom('recordings').selectAll().where('session_uid', '=', uid).executeTakeFirstOrThrow()
const placeOf = async (uid: SessionUid) => (await rowOf(uid)).place

/** Makes a recording older: posted ones may grow, so they are indexed and uploaded after a delay. */
async function age(uid: SessionUid, days = 0.001, node?: string): Promise<void> {
  const ended_at = new Date(Date.now() - days * 86_400_000)
  const change = node === undefined ? { ended_at } : { ended_at, node }
  await server.database.system().updateTable('recordings').set(change).where('session_uid', '=', uid).execute()
}

/** Advances the clock until the store has it; failed uploads are retried later. */
async function isStored(uid: SessionUid): Promise<void> {
  if ((await placeOf(uid)) === 'object') return
  clock.advance(60_000)
  const look = async (): Promise<boolean> => {
    clock.advance(500)
    return (await placeOf(uid)) === 'object'
  }
  await until(look, { ...patiently, interval: 50 })
}

async function stored(...messages: string[]) {
  const made = await recorded(...messages)
  await age(made.uid)
  await isStored(made.uid)
  return made
}

const filesOf = async (id: string) =>
  (await readdir(join(server.dataFolder, 'recordings'))).filter((name) => name.startsWith(id))
const sizeOf = async (key: string) => (await store.find(key))?.size
const objectsOf = (id: string) => Promise.all([sizeOf(`${id}.cast`), sizeOf(`${id}.index`)])

describe.skipIf(missing)(`recordings in a store${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('uploads a finished recording, then deletes its file; reads and verifies it as before', async () => {
    const { uid, id } = await recorded('$ uptime\r\n', 'up 3 days \u20ac\r\n')
    const before = await castOf(uid)
    const [whole] = await filesOf(id)
    expect([whole, await objectsOf(id)]).toEqual([`${id}.cast`, [undefined, undefined]])
    await age(uid)
    await isStored(uid)
    await expect.poll(() => filesOf(id), patiently).toEqual([])
    expect(await objectsOf(id)).toEqual([Buffer.byteLength(before), expect.any(Number)])
    expect(await castOf(uid)).toBe(before)
    expect(await verdict(uid)).toMatchObject({ result: 'intact', complete: true, chunks: 2 })
    expect((await person.client.call(sessions.getRecordIndex, at(uid))).body).toMatchObject({ indexed: true })
    expect(Number(await metric('bowline_recording_uploads_bytes_total'))).toBeGreaterThanOrEqual(before.length)
    expect([await health(), await metric('bowline_recording_store_up')]).toEqual(['none', '1'])
  })

  it('detects a modified object and names the chunk', async () => {
    const { uid, id } = await stored('one', 'two')
    await store.put(`${id}.cast`, bodyOf((await castOf(uid)).replace('two', 'owt')))
    expect(await verdict(uid)).toMatchObject({ result: 'tampered', bad_chunk: 1 })
  })

  it('fetches a recording that other parts of the platform extend, then uploads it again', async () => {
    const { uid, id } = await stored('one\r\n')
    const tables = createTableCache()
    const table = async () => tables.read(id, await createObjects(store).open(id, 'index'))
    const first = await table()
    expect(await table()).toBe(first)
    await postFrame(server, uid, 'two\r\n')
    expect([await placeOf(uid), await filesOf(id)]).toEqual(['leaving', [`${id}.cast`]])
    expect(await verdict(uid)).toMatchObject({ result: 'intact', chunks: 2 })
    const grown = await castOf(uid)
    await age(uid)
    await isStored(uid)
    expect(await castOf(uid)).toBe(grown)
    expect(grown).toMatch(/one.*two/s)
    expect([first.bytes < grown.length, (await table()).bytes]).toEqual([true, grown.length])
  })

  it('calls no recording missing whose file another node has', async () => {
    const { uid, id } = await recorded('elsewhere')
    await rm(join(server.dataFolder, 'recordings', `${id}.cast`))
    const { node } = await rowOf(uid)
    await age(uid, 0, 'another-node')
    expect(await outcome(person.client.call(sessions.getRecord, at(uid)))).toBe('503 UNAVAILABLE')
    expect(await outcome(person.client.call(sessions.verifyRecord, at(uid)))).toBe('503 UNAVAILABLE')
    await age(uid, 0, node)
    expect(await verdict(uid)).toMatchObject({ result: 'missing' })
    await person.client.call(sessions.removeRecord, at(uid))
  })

  it('keeps recordings on disk while the store is down and completes deletions later', MANY_STEPS, async () => {
    const [gone, expired, cascaded] = [await recorded('gone'), await recorded('expired'), await recorded('cascaded')]
    for (const { uid } of [gone, expired, cascaded]) await age(uid)
    const kept = await stored('kept')
    for (const { uid } of [gone, expired, cascaded]) await isStored(uid)
    await swift.stop()
    // Later tests need the store even if this one fails.
    onTestFinished(() => swift.start())
    const waiting = await recorded('waiting')
    await age(waiting.uid)
    clock.advance(60_000)
    await expect.poll(health, patiently).toBe('recording-store')
    expect([await metric('bowline_recording_uploads_waiting'), await metric('bowline_recording_store_up')]).toEqual([
      '1',
      '0',
    ])
    expect(await castOf(waiting.uid)).toContain('waiting')
    expect(await outcome(person.client.call(sessions.getRecord, at(kept.uid)))).toBe('503 UNAVAILABLE')
    expect(await outcome(person.client.call(sessions.verifyRecord, at(kept.uid)))).toBe('503 UNAVAILABLE')

    await person.client.call(sessions.removeRecord, at(gone.uid))
    await person.client.call(operations.devices.remove, { params: { uid: cascaded.device } })
    const params = { tenant: person.tenant }
    const settings = { recording_retention_days: 30 }
    await person.client.call(operations.namespaces.update, { params, body: { settings } })
    await age(expired.uid, 31)
    clock.advance(600_000)
    const outcomeNow = () => outcome(person.client.call(sessions.getRecord, at(expired.uid)))
    await expect.poll(outcomeNow, patiently).toBe('404 NOT_FOUND')

    await swift.start()
    for (const { id } of [gone, expired, cascaded]) expect(await sizeOf(`${id}.cast`)).toBeGreaterThan(0)
    await isStored(waiting.uid)
    for (const { id } of [gone, expired, cascaded]) expect(await objectsOf(id)).toEqual([undefined, undefined])
    expect(await server.database.system().selectFrom('removed_recordings').selectAll().execute()).toEqual([])
    expect(await health()).toBe('none')
    expect(await castOf(kept.uid)).toContain('kept')
    const reported = logged.filter(({ ev }) => ev === 'recording.store-away').map(({ fields }) => fields['message'])
    expect(reported).toEqual([expect.stringMatching(/^BOWLINE_S3_ENDPOINT: the store does not answer \(/)])
  })

  it('repeats an upload after kill -9 of the server', MANY_STEPS, async () => {
    const line = `${'0123456789abcdef'.repeat(60)}\r\n`
    const message = line.repeat(900)
    const { uid, id } = await recorded(...Array.from({ length: 7 }, (_, part) => `part ${part}\r\n${message}`))
    const before = await castOf(uid)
    expect(before.length).toBeGreaterThan(PART_BYTES)
    const dataFolder = await mkdtemp(join(tmpdir(), 'bowline-server-'))
    await using _ = { [Symbol.asyncDispose]: () => rm(dataFolder, { recursive: true, force: true }) }
    await mkdir(join(dataFolder, 'recordings'))
    await age(uid, 0.001, await nodeName(dataFolder))
    const name = join('recordings', `${id}.cast`)
    await rename(join(server.dataFolder, name), join(dataFolder, name))
    const slow = await startChaosProxy({ target: swift })
    onTestFinished(() => slow.close())
    slow.setConditions({ bytesPerSecond: 2_000_000 })

    await using first = await otherServer(dataFolder, slow)
    await until(async () => (await store.openUploads(id)).length > 0, patiently)
    await first[Symbol.asyncDispose]()
    expect([await placeOf(uid), await sizeOf(`${id}.cast`)]).toEqual(['leaving', undefined])
    const [abandoned] = await store.openUploads(id)
    expect(abandoned).toBeDefined()

    slow.setConditions({})
    await using second = await otherServer(dataFolder, slow)
    await isStored(uid)
    await second[Symbol.asyncDispose]()
    expect(await store.openUploads(id)).toEqual([])
    expect(await castOf(uid)).toBe(before)
    expect(await verdict(uid)).toMatchObject({ result: 'intact', complete: true })
    await expectRanges(uid)
  })

  it('starts with a wrong store secret, reports the setting and keeps the secret out of the log', async () => {
    const lines: typeof logged = []
    const secret = 'a-secret-that-is-wrong'
    const other = await bootServer({ settings: settings(swift, secret), log: keep(lines) })
    const degraded = async () => (await other.fetch('/healthcheck')).headers.get('x-degraded')
    await expect.poll(degraded, patiently).toBe('recording-store')
    await other.close()
    const about = lines.filter(({ ev }) => ev.startsWith('recording.store'))
    expect(about).toEqual([
      { ev: 'recording.store-away', fields: { message: expect.stringMatching(/^BOWLINE_S3_SECRET_ACCESS_KEY /) } },
    ])
    expect(JSON.stringify(lines)).not.toContain(secret)
  })

  it.each([
    [{ bucket: 'nowhere' }, /^BOWLINE_S3_BUCKET: /],
    [{ region: 'elsewhere' }, /^BOWLINE_S3_REGION: /],
    [{ credentials: { accessKeyId: 'nobody', secretAccessKey: 'x' } }, /^BOWLINE_S3_SECRET_ACCESS_KEY \(or the key id/],
  ])('names the invalid store setting: %o', async (change, message) => {
    await expect((await clientWith(change)).check()).rejects.toThrow(message)
  })

  it('names the endpoint when it refuses connections', async () => {
    const closed = await startChaosProxy({ target: swift })
    await closed.close()
    const nobody = await clientWith({ endpoint: new URL(`http://127.0.0.1:${closed.port}`) })
    await expect(nobody.check()).rejects.toThrow('BOWLINE_S3_ENDPOINT: the store does not answer (ECONNREFUSED).')
  })

  it('uses the credentials of a role when none are set', async () => {
    const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey } = swift
    const Expiration = new Date(Date.now() + 3_600_000).toISOString()
    const role = createServer((_, response) => {
      response.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Token: 'of-a-role', Expiration }))
    }).listen(0, '127.0.0.1')
    await once(role, 'listening')
    await using _ = role
    const { port } = role.address() as AddressInfo
    giveNoCredentials()
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${port}/role`)
    const keyless = await clientWith({ credentials: undefined })
    const answer = keyless.check().finally(() => vi.unstubAllEnvs())
    await expect(answer).resolves.toBeUndefined()
  })

  it('reaches the store from a machine with a wrong clock', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 7_200_000 })
    const late = await clientWith({})
    const answer = late.check().finally(() => vi.useRealTimers())
    await expect(answer).resolves.toBeUndefined()
  })

  it('rejects bytes that changed on the way to the store', async () => {
    const changed = { bytes: Buffer.from('changed on its way'), hash: sha256('as it was read') }
    await expect(store.put('changed', changed)).rejects.toThrow('BadDigest')
    const upload = await store.beginUpload('changed')
    await expect(store.putPart(upload, 1, changed)).rejects.toThrow('BadDigest')
    await store.abortUpload(upload)
    expect([await sizeOf('changed'), await store.openUploads('changed')]).toEqual([undefined, []])
  })
})

/** Seeks into the middle of a recording of some MB: the answer is a part, found by its keyframe. */
async function expectRanges(uid: SessionUid): Promise<void> {
  const { body: index } = await person.client.call(sessions.getRecordIndex, at(uid))
  expect(index.keyframes.length).toBeGreaterThan(4)
  const { time } = index.keyframes.at(-2) ?? { time: NaN }
  const { body: keyframe } = await person.client.call(sessions.getKeyframe, { ...at(uid), query: { at: String(time) } })
  expect(keyframe.screen).toContain('0123456789abcdef')
  const path = `/api/sessions/${uid}/records/0`
  const part = await (await get(`${path}?format=cast3&from=${time}&to=${time}`)).text()
  expect(part.length).toBeLessThan(PART_BYTES / 4)
  expect(part).toContain('0123456789abcdef')
  const end = await (await get(`${path}?format=cast3&after=${index.bytes - 10}`)).text()
  expect(end).toHaveLength(10)
}

/** Another server process on the same database, with its own folder. Disposing of it sends SIGKILL. */
async function otherServer(dataFolder: string, { port }: ChaosProxy): Promise<AsyncDisposable> {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BOWLINE_'))),
    BOWLINE_HTTP_PORT: '0',
    BOWLINE_SSH_PORT: '0',
    BOWLINE_DATA_DIR: dataFolder,
    BOWLINE_DATABASE_URL: databaseUrl(server.owner),
    BOWLINE_SECRET_KEY: server.secretKey,
    ...settings({ port }),
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../main.ts'), 'server'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  // Also if the test times out before it has the server: a leftover process keeps the whole run from ending.
  onTestFinished(() => void child.kill('SIGKILL'))
  const listening = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
  if (!listening) throw new Error('the other server has ended')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
