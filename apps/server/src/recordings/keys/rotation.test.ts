// Replacing the recording key of a running server; signatures of the old one stay verifiable.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { runCommand } from '../../cli/program.ts'
import { asOwner } from '../../db/owner-session.ts'
import { postFrame } from '../../testing/http-server.ts'
import { readRecordingKeys } from '../../instance/recording-keys.ts'
import { SecretKey } from '../../platform/secrets/seal.ts'
import { type BootedServer, type Person, bootServer, databaseUrl } from '../../testing/boot.ts'
import { createLedger } from '../ledger/ledger.ts'
import { createRecordingKey } from '../recording-key.ts'

let server: BootedServer
let person: Person
let folder: string
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  folder = await mkdtemp(join(tmpdir(), 'bowline-rotation-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function run(...args: string[]) {
  const [out, errors]: [string[], string[]] = [[], []]
  const env = {
    BOWLINE_DATABASE_URL: databaseUrl(server.owner),
    BOWLINE_SECRET_KEY: server.secretKey,
    BOWLINE_DATA_DIR: server.dataFolder,
  }
  const terminal = { env, read: () => Promise.resolve(''), print: (line: string) => out.push(line) }
  const status = await runCommand(['recordings', ...args], { ...terminal, complain: (line) => errors.push(line) })
  return { status, out: out.join('\n'), errors: errors.join('\n') }
}

const readKeys = () => readRecordingKeys(server.database.system(), new SecretKey(server.secretKey))()
const keys = async () => (await server.client().call(operations.recordings.keys, {})).body
const verifyNamespace = () => run('verify', '--namespace', person.namespace)

async function recorded(): Promise<SessionUid> {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  const { uid: device } = await server.acceptedDevice(person)
  const row = { uid, tenant_id: person.tenant, device_uid: device, username: 'root', type: 'term' as const }
  await server.database.system().insertInto('sessions').values(row).execute()
  await postFrame(server, uid, 'some output')
  return uid
}

async function verdictOf(uid: SessionUid): Promise<string> {
  const place = { params: { uid, seat: '0' } } as const
  return (await person.client.call(operations.sessions.verifyRecord, place)).body.result
}

async function download(uid: SessionUid): Promise<string> {
  const how = { params: { uid, seat: '0' }, query: { format: 'cast3' } } as const
  const file = join(folder, `${uid}.cast`)
  await writeFile(file, await (await person.client.open(operations.sessions.getRecord, how)).text())
  return file
}

/** Id of the key in a recording's identity. */
async function keyOf(uid: SessionUid): Promise<string | undefined> {
  const { out } = await run('verify', await download(uid), '--key', await keyFile(), '--json')
  return (JSON.parse(out) as { identity: { key: string } }).identity.key
}

async function keyFile(list?: unknown): Promise<string> {
  const file = join(folder, 'keys.json')
  await writeFile(file, JSON.stringify(list ?? (await keys())))
  return file
}

describe('bowline recordings rotate-key', () => {
  it('makes a running server sign with the new key and keeps both recordings verifiable', async () => {
    const before = await recorded()
    const [old, ...none] = await keys()
    expect(none).toEqual([])
    expect(await run('rotate-key')).toMatchObject({ status: 0, errors: '' })
    const [retired, current, ...more] = await keys()
    expect([retired, more]).toEqual([{ ...old, valid_to: current?.valid_from }, []])
    expect(current).toMatchObject({ valid_to: null })
    expect((await server.client().call(operations.recordings.key, {})).body.id).toBe(current?.id)

    const after = await recorded()
    expect([await keyOf(before), await keyOf(after)]).toEqual([retired?.id, current?.id])
    expect([await verdictOf(before), await verdictOf(after)]).toEqual(['intact', 'intact'])
    expect(await verifyNamespace()).toMatchObject({ status: 0, errors: '' })
  })

  it('continues a recording started with an earlier key', async () => {
    const uid = await recorded()
    await run('rotate-key')
    await postFrame(server, uid, 'more output')
    expect(await verdictOf(uid)).toBe('intact')
    expect((await verifyNamespace()).status).toBe(0)
  })

  it('keeps each period’s public key and only the last private key', async () => {
    await run('rotate-key')
    const [periods, loaded] = [await keys(), await readKeys()]
    expect(periods.map(({ valid_to: to }) => to)).toEqual([
      ...periods.slice(1).map(({ valid_from: from }) => from),
      null,
    ])
    expect(loaded.retired?.map(({ publicKey }) => publicKey.type)).toEqual(periods.slice(1).map(() => 'public'))
  })
})

describe('retired keys', () => {
  it('detects a ledger entry signed by a retired key', async () => {
    await recorded()
    const old = createRecordingKey(await readKeys())
    await run('rotate-key')
    await recorded()
    const ctx = { tenant: person.tenant, db: server.database.forTenant(person.tenant), clock: systemClock }
    const event = { kind: 'remove-namespace', by: { type: 'system', id: 'x' } } as const
    await createLedger(old).append(ctx, event)
    const found = await verifyNamespace()
    expect([found.status, found.out]).toEqual([1, expect.stringContaining('signed by another key')])
    await asOwner(server.owner, async (client) => {
      await client.query('alter table recording_ledger no force row level security')
      await client.query(`delete from recording_ledger where kind = 'remove-namespace'`)
    })
    expect((await verifyNamespace()).status).toBe(0)
  })

  it('rejects a recording started outside its key’s period', async () => {
    const file = await download(await recorded())
    const list = await keys()
    expect((await run('verify', file, '--key', await keyFile(list))).status).toBe(0)
    const over = list.map((one) => ({ ...one, valid_to: one.valid_from }))
    const { status, errors } = await run('verify', file, '--key', await keyFile(over))
    expect([status, errors]).toEqual([1, expect.stringContaining('did not sign when the recording began')])
  })
})

describe('forged keys', () => {
  it('rejects a key in the database that was not sealed with the secret key', async () => {
    const foreignKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x
    const forged = Buffer.from(JSON.stringify([{ x: foreignKey, from: new Date(0), to: new Date() }]))
    const db = server.database.system()
    const name = 'recording-ed25519-retired'
    const { sealed } = await db
      .selectFrom('instance_keys')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    await db.updateTable('instance_keys').set({ sealed: forged }).where('name', '=', name).execute()
    await expect(readKeys()).rejects.toThrow(/seal|secret/i)
    await db.updateTable('instance_keys').set({ sealed }).where('name', '=', name).execute()
    expect((await readKeys()).retired).not.toEqual([])
  })
})
