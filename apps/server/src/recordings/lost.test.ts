// Sealing of unsealed recordings at the next start of a server.
import { randomBytes } from 'node:crypto'
import { readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { createEventLines, headerLine } from '@bowline/asciicast/write'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { postFrame } from '../testing/http-server.ts'
import { loadInstanceKeys } from '../instance/keys.ts'
import { testContext } from '../testing/context.ts'
import { silentLog } from '../platform/log.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { type Recordings, createRecordings } from './recordings.ts'

let server: BootedServer
let person: Person
/** Recordings of the restarted server, on the same folder. */
let next: Recordings
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  const { recording } = await loadInstanceKeys(server.database.system(), new SecretKey(server.secretKey))
  const folder = join(server.dataFolder, 'recordings')
  const parts = { folder, node: 'the next life', log: silentLog, clock: systemClock, key: recording }
  next = await createRecordings({ ...parts, sealed: () => undefined })
})
afterAll(() => server.close())

const db = () => server.database.system()

async function session(): Promise<SessionUid> {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  const { uid: device } = await server.acceptedDevice(person)
  const row = { uid, tenant_id: person.tenant, device_uid: device, username: 'root', type: 'term' as const }
  await db().insertInto('sessions').values(row).execute()
  return uid
}

/** An unsealed recording of three chunks. */
async function unsealed(): Promise<{ uid: SessionUid; id: string; file: string }> {
  const uid = await session()
  const ctx = testContext(server.database, person.tenant)
  const { id, spool, identity } = await next.create(ctx, { session: uid, seat: 0, posted: false })
  const lines = createEventLines()
  await spool.write(headerLine({ columns: 80, rows: 24 }) + identity)
  for (const text of ['one', 'two', 'three']) {
    await spool.write(lines.next('o', text, 0))
    await spool.closeChunk()
  }
  await spool.abandon()
  return { uid, id, file: next.path(id) }
}

const verdict = async (uid: SessionUid) =>
  (await person.client.call(operations.sessions.verifyRecord, { params: { uid, seat: '0' } })).body

/** Runs the start-up sealing. */
async function startAgain(uid: SessionUid): Promise<void> {
  await db().updateTable('recordings').set({ node: 'the next life' }).where('session_uid', '=', uid).execute()
  await next.sealLost(db())
}

/** Truncates a file after a chunk line, from 0. */
async function cutBehind(file: string, chunk: number): Promise<void> {
  const lines = (await readFile(file, 'utf8')).split(/(?<=\n)/)
  const end = lines.findIndex((line) => line.startsWith(`# chunk ${chunk} `)) + 1
  expect(end).toBeGreaterThan(0)
  await truncate(file, Buffer.byteLength(lines.slice(0, end).join('')))
}

describe('unsealed recordings', () => {
  it('seals an unsealed recording as interrupted at the next start', async () => {
    const { uid } = await unsealed()
    expect(await verdict(uid)).toMatchObject({ result: 'recording', ending: null, chunks: 3, identity: true })
    await startAgain(uid)
    expect(await verdict(uid)).toMatchObject({ result: 'intact', complete: false, ending: 'interrupted', chunks: 3 })
    expect((await verdict(uid)).message).toContain('interrupted')
  })

  it('seals a truncated unsealed recording as interrupted, not complete', async () => {
    const { uid, file } = await unsealed()
    await cutBehind(file, 1)
    await startAgain(uid)
    expect(await verdict(uid)).toMatchObject({ result: 'intact', complete: false, ending: 'interrupted', chunks: 2 })
  })
})

describe('sealed recordings', () => {
  it('reports tampering when a sealed recording was truncated and its row reset', async () => {
    const uid = await session()
    for (const text of ['one', 'two', 'three']) await postFrame(server, uid, text)
    const { id } = await db()
      .selectFrom('recordings')
      .select('id')
      .where('session_uid', '=', uid)
      .executeTakeFirstOrThrow()
    await cutBehind(next.path(id), 1)
    await db().updateTable('recordings').set({ state: 'recording' }).where('id', '=', id).execute()
    expect(await verdict(uid)).toMatchObject({ result: 'tampered', bad_chunk: 2 })
    await startAgain(uid)
    expect(await verdict(uid)).toMatchObject({ result: 'tampered', bad_chunk: 2, ending: null })
    expect(await readFile(next.path(id), 'utf8')).not.toContain('# seal')
  })

  it('reports tampering when only the seal was removed', async () => {
    const { uid, id, file } = await unsealed()
    await startAgain(uid)
    await cutBehind(file, 2)
    await db().updateTable('recordings').set({ state: 'recording' }).where('id', '=', id).execute()
    await startAgain(uid)
    expect(await verdict(uid)).toMatchObject({ result: 'tampered', bad_chunk: 3 })
  })
})
