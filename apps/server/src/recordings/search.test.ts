// Search over recordings with known contents. `SEARCHED_SESSIONS=1000 npm test -- recordings/search` searches as many
// and prints the results.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { createEventLines, headerLine } from '@bowline/asciicast/write'
import { systemClock } from '@bowline/base/clock'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { type DeviceUid, SessionUid, type TenantId } from '@bowline/contract/schemas/common'
import type { RecordingHit } from '@bowline/contract/schemas/recording'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { IDLE_MS, type Indexing, createIndexing } from './index/indexing.ts'
import { type CorpusSession, corpusSession } from '../testing/corpus.ts'
import { until } from '@bowline/testkit/until'

const COUNT = Number(process.env['SEARCHED_SESSIONS'] ?? 40)
const NODE = 'the corpus'
let server: BootedServer
let person: Person
let other: Person
const corpus = new Map<SessionUid, CorpusSession>()

beforeAll(
  async () => {
    server = await bootServer()
    person = await server.setUpAccount()
    other = await server.addPerson('other')
    const { uid } = await server.acceptedDevice(person)
    for (let number = 0; number < COUNT; number += 1) {
      const session = corpusSession(number)
      corpus.set(await add(person.tenant, uid, session), session)
    }
    const { uid: foreign } = await server.acceptedDevice(other)
    await add(other.tenant, foreign, corpusSession(0))
    const started = performance.now()
    await indexed()
    print(`${COUNT} recordings indexed in ${((performance.now() - started) / 1_000).toFixed(1)} s`)
  },
  30_000 + COUNT * 500,
)
afterAll(() => server.close())

/** Adds a finished session with this recording. */
async function add(
  tenant_id: TenantId,
  device_uid: DeviceUid,
  { name, cast, command }: CorpusSession,
): Promise<SessionUid> {
  const db = server.database.system()
  const session_uid = SessionUid.parse(createHash('sha256').update(`${tenant_id} ${name}`).digest('hex'))
  const session = { uid: session_uid, tenant_id, device_uid, username: 'root', type: 'term' as const, recorded: true }
  await db.insertInto('sessions').values(session).execute()
  const id = randomUUID()
  await writeFile(file(id, 'cast'), cast)
  const row = { id, tenant_id, session_uid, seat: 0, state: 'complete' as const, node: NODE, command }
  const times = { started_at: new Date(1_700_000_000_000), ended_at: new Date() }
  await db
    .insertInto('recordings')
    .values({ ...row, ...times, bytes: Buffer.byteLength(cast) })
    .execute()
  return session_uid
}

const file = (id: string, kind: 'cast' | 'index') => join(server.dataFolder, 'recordings', `${id}.${kind}`)

function startIndexing(clock = systemClock): Indexing {
  const files = (id: string) => ({ cast: file(id, 'cast'), index: file(id, 'index') })
  const parts = { system: server.database.system(), clock, node: NODE, log: silentLog, files }
  return createIndexing({ ...parts, indexed: () => undefined })
}

async function indexed(): Promise<void> {
  const indexing = startIndexing()
  indexing.wake()
  await until(async () => (await notIndexed()) === 0, { timeout: 30_000 + COUNT * 500 })
  await indexing.close()
}

async function notIndexed(): Promise<number> {
  const rows = await server.database
    .system()
    .selectFrom('recordings')
    .select('id')
    .where('indexed', '=', 'no')
    .execute()
  return rows.length
}

/** Prints figures for manual runs. */
const print = (text: string) => void process.stdout.write(`${text}\n`)

/** Every hit, page by page. */
async function hits(q: string, who = person): Promise<RecordingHit[]> {
  const found: RecordingHit[] = []
  for (let page = 1; ; page += 1) {
    const query = { q, page: String(page), per_page: '100' }
    const { body, total } = await who.client.call(operations.recordings.search, { query })
    found.push(...body)
    if (body.length === 0 || found.length >= (total ?? 0)) return found
  }
}

const sessionsOf = (found: readonly RecordingHit[]) => new Set(found.map(({ session }) => session))

describe('searching recordings', () => {
  it(
    'finds visible text in the right sessions and at its time',
    async () => {
      const expected = new Map<string, Map<SessionUid, number>>()
      for (const [uid, { answers }] of corpus) {
        for (const [question, atMs] of answers) {
          const answering = expected.get(question) ?? new Map<SessionUid, number>()
          expected.set(question, answering.set(uid, atMs))
        }
      }
      let wanted = 0
      const missed: string[] = []
      const wrong: string[] = []
      const times: number[] = []
      for (const [question, answering] of expected) {
        const started = performance.now()
        const found = await hits(question)
        times.push(performance.now() - started)
        wanted += answering.size
        for (const [uid, atMs] of answering) {
          const near = found.some(({ session, seconds }) => session === uid && seconds * 1_000 <= atMs + 2_000)
          if (!near) missed.push(`${question} at ${atMs} of ${uid}`)
        }
        for (const uid of sessionsOf(found)) if (!answering.has(uid)) wrong.push(`${question} in ${uid}`)
      }
      times.sort((a, b) => a - b)
      const p95 = times[Math.floor(times.length * 0.95)] ?? 0
      const recall = (1 - missed.length / wanted) * 100
      print(
        `${COUNT} sessions, ${times.length} questions, ${wanted} answers: recall ${recall.toFixed(2)} %, ` +
          `${wrong.length} wrong, p95 ${p95.toFixed(0)} ms`,
      )
      expect(missed.length > wanted / 100 ? missed : []).toEqual([])
      expect(wrong).toEqual([])
    },
    30_000 + COUNT * 500,
  )

  it('finds commands and marks the matches in the snippet', async () => {
    const [[uid]] = [...corpus] as [[SessionUid, CorpusSession]]
    const found = (await hits('deploy cluster-0')).filter(({ kind }) => kind === 'command')
    expect(found).toMatchObject([{ session: uid, seat: 0, username: 'root', seconds: 0 }])
    const [{ snippet, matches } = { snippet: '', matches: [] }] = found
    expect(matches.map(({ from, to }) => snippet.slice(from, to))).toEqual(['deploy', 'cluster', '0'])
    expect(found[0]?.at).toBe('2023-11-14T22:13:20.000Z')
  })

  it('pages search hits with a total', async () => {
    const q = 'status 50* failed'
    const all = await hits(q)
    const page = await person.client.call(operations.recordings.search, { query: { q, page: '2', per_page: '3' } })
    expect(page.total).toBe(all.length)
    expect(page.body).toEqual(all.slice(3, 6))
  })

  it('lists the hits of one session in its order', async () => {
    const q = 'kernel'
    const all = await hits(q)
    const bySession = [...sessionsOf(all)].map((uid) => all.filter(({ session }) => session === uid))
    const [longest = []] = bySession.toSorted((a, b) => b.length - a.length)
    const session = longest[0]?.session ?? SessionUid.parse('0'.repeat(64))
    const inOne = await person.client.call(operations.recordings.search, { query: { q, session, per_page: '100' } })
    expect(inOne.body).toEqual(longest.toSorted((a, b) => a.seconds - b.seconds))
    expect(inOne.body).not.toEqual(longest)
    const second = await person.client.call(operations.recordings.search, {
      query: { q, session, page: '2', per_page: '1' },
    })
    expect(second.body).toEqual(inOne.body.slice(1, 2))
  })

  it('filters by device, person and the beginning of the session', async () => {
    const q = 'status 50* failed'
    const all = await hits(q)
    const [one] = [...sessionsOf(all)]
    const { uid: device } = await server.acceptedDevice(person)
    const began = new Date('2026-11-20T10:00:00Z')
    await server.database
      .system()
      .updateTable('sessions')
      .set({ device_uid: device, person_id: person.id, started_at: began })
      .where('uid', '=', one ?? SessionUid.parse('0'.repeat(64)))
      .execute()
    const found = async (of: object) => {
      const { body, total } = await person.client.call(operations.recordings.search, {
        query: { q, per_page: '100', ...of },
      })
      expect(total).toBe(body.length)
      return body
    }
    const its = all.filter(({ session }) => session === one).map((hit) => ({ ...hit, device_uid: device }))
    expect(its.length).toBeGreaterThan(0)
    expect(await found({ device })).toEqual(its)
    expect(await found({ person: person.id })).toEqual(its)
    expect(await found({ person: other.id })).toEqual([])
    expect(await found({ from: '2026-11-20T10:00:00Z', to: '2026-11-20T10:00:01Z' })).toEqual(its)
    expect(await found({ from: '2026-11-20T10:00:01Z', to: '2026-11-21T00:00:00Z' })).toEqual([])
    expect(await found({ device, person: other.id })).toEqual([])
  })

  it('finds recordings of the own namespace only', async () => {
    const [question = ''] = corpusSession(0).answers.keys()
    const [mine, theirs] = [await hits(question), await hits(question, other)]
    expect([mine.length, theirs.length]).toEqual([1, 1])
    expect(mine[0]?.session).not.toBe(theirs[0]?.session)
    expect(await hits(`req-${corpusSession(1).name}`, other)).toEqual([])
  })

  it('allows search to administrators and the owner, and requires a word', async () => {
    const member = await server.addPerson('observing')
    await server.addMember(person.tenant, member.id, 'observer')
    const { body } = await member.client.call(operations.auth.switchNamespace, { params: { tenant: person.tenant } })
    const search = (q: string, token = person.auth.token) =>
      outcome(server.client(token).call(operations.recordings.search, { query: { q } }))
    expect(await search('disk', body.token)).toBe('403 FORBIDDEN')
    expect(await search('--')).toBe('400 INVALID_INPUT q')
    expect(await search('x'.repeat(257))).toBe('400 INVALID_INPUT q')
    expect(await search(`' | \\ :* & ! ( ${randomBytes(4).toString('hex')}`)).toBe('200')
  })

  it('finds no deleted recordings', async () => {
    const [uid, { name }] = [...corpus].at(-1) as [SessionUid, CorpusSession]
    expect(await hits(`req-${name}`)).toHaveLength(1)
    await person.client.call(operations.sessions.removeRecord, { params: { uid, seat: '0' } })
    expect(await hits(`req-${name}`)).toEqual([])
  })
})

describe('indexed recordings', () => {
  it('returns length and keyframes, and ranges that start with the screen', async () => {
    const [uid, { cast, answers }] = [...corpus][0] as [SessionUid, CorpusSession]
    const at = { params: { uid, seat: '0' } }
    const { body: index } = await person.client.call(operations.sessions.getRecordIndex, at)
    expect(index).toMatchObject({ state: 'complete', indexed: true, bytes: Buffer.byteLength(cast) })
    expect(index.keyframes[0]).toMatchObject({ time: 0, columns: 80, rows: 24 })
    expect(index.seconds).toBeGreaterThan(10)
    const listed = await person.client.call(operations.recordings.list, { query: { filter: '', per_page: '100' } })
    expect(index.ended_at).toBe(listed.body.find(({ session }) => session === uid)?.ended_at)
    const { body: keyframe } = await person.client.call(operations.sessions.getKeyframe, { ...at, query: { at: '3' } })
    expect(keyframe).toMatchObject({ time: 0, screen: '' })
    const from = Math.ceil((answers.get(`req-${corpusSession(0).name}`) ?? 0) / 1_000) + 3
    const range = (format: 'cast' | 'cast3') => ({ ...at, query: { from: String(from), to: String(from + 5), format } })
    const two = await (await person.client.open(operations.sessions.getRecord, range('cast'))).text()
    const [header = '', ...events] = two
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as unknown)
    expect(header).toMatchObject({ version: 2, width: 80, height: 24 })
    const timed = events as [number, string, string][]
    expect(timed[0]).toEqual([from, 'o', '\u001bc'])
    expect(timed.map(([, , data]) => data).join('')).toContain(`req-${corpusSession(0).name}`)
    expect(timed.every(([time]) => time >= from && time <= from + 5)).toBe(true)
    const three = await (await person.client.open(operations.sessions.getRecord, range('cast3'))).text()
    expect(three.split('\n')[1]).toBe(JSON.stringify(timed[0]))
  })
})

it('has the commands that a shell has marked, in the index and in the search', async () => {
  const { uid: device } = await server.acceptedDevice(other)
  const mark = (text: string): string => `\u001b]133;${text}\u0007`
  const lines = createEventLines()
  const events = [`$ ${mark('B')}`, 'syst\b\b\b\btelinit 6', `\r\n${mark('C')}`, `done\r\n$ ${mark('B')}`]
  const cast =
    headerLine({ columns: 80, rows: 24, term: 'xterm' }) +
    events.map((data, at) => lines.next('o', data, 1_000 * (at + 1))).join('')
  const uid = await add(other.tenant, device, { name: 'marked', command: '', cast, answers: new Map() })
  await indexed()
  const at = { params: { uid, seat: '0' } }
  const { commands } = (await other.client.call(operations.sessions.getRecordIndex, at)).body
  expect(commands).toEqual([{ time: 3, text: 'telinit 6' }])
  const found = (await hits('telinit', other)).filter(({ kind }) => kind === 'command')
  expect(found).toMatchObject([{ session: uid, seconds: 3, snippet: 'telinit 6' }])
})

describe('the thread that indexes', () => {
  it('is kept for recordings that follow each other, and ends when none has come for a minute', async () => {
    const clock = new ManualClock()
    const { uid } = await server.acceptedDevice(other)
    const started: Worker[] = []
    const note = (worker: Worker): unknown => started.push(worker)
    process.on('worker', note)
    const indexing = startIndexing(clock)
    try {
      for (const number of [1, 2, 3]) {
        await add(other.tenant, uid, corpusSession(number))
        clock.advance(IDLE_MS - 1)
        indexing.wake()
        await until(async () => (await notIndexed()) === 0)
      }
      expect(started).toHaveLength(1)
      await until(() => (clock.advance(IDLE_MS), started[0]?.threadId === -1))
    } finally {
      process.off('worker', note)
      await indexing.close()
    }
  })
})
