// Verification of recordings from the command line: a single file with a key alone, and a whole namespace with its
// ledger.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner } from '../db/owner-session.ts'
import { postFrame } from '../testing/http-server.ts'
import { type BootedServer, type Person, bootServer, databaseUrl } from '../testing/boot.ts'
import { runCommand } from './program.ts'

let server: BootedServer
let person: Person
let folder: string
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  folder = await mkdtemp(join(tmpdir(), 'bowline-cli-recordings-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const [out, errors]: [string[], string[]] = [[], []]
  const terminal = { env, read: () => Promise.resolve(''), print: (line: string) => out.push(line) }
  const status = await runCommand(['recordings', ...args], { ...terminal, complain: (line) => errors.push(line) })
  return { status, out: out.join('\n'), errors: errors.join('\n') }
}

const onServer = (...args: string[]) =>
  run(args, {
    BOWLINE_DATABASE_URL: databaseUrl(server.owner),
    BOWLINE_SECRET_KEY: server.secretKey,
    BOWLINE_DATA_DIR: server.dataFolder,
  })

async function recorded(...messages: string[]): Promise<{ uid: SessionUid; file: string }> {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  const { uid: device } = await server.acceptedDevice(person)
  const row = { uid, tenant_id: person.tenant, device_uid: device, username: 'root', type: 'term' as const }
  await server.database.system().insertInto('sessions').values(row).execute()
  for (const message of messages) await postFrame(server, uid, message)
  const { id } = await server.database
    .system()
    .selectFrom('recordings')
    .select('id')
    .where('session_uid', '=', uid)
    .executeTakeFirstOrThrow()
  return { uid, file: join(server.dataFolder, 'recordings', `${id}.cast`) }
}

describe('bowline recordings verify FILE', () => {
  it('verifies a downloaded recording with the published key alone, in any of its formats', async () => {
    const { uid } = await recorded('one', 'two')
    const { body: key } = await server.client().call(operations.recordings.key, {})
    const download = { params: { uid, seat: '0' }, query: { format: 'cast3' } } as const
    const text = await (await person.client.open(operations.sessions.getRecord, download)).text()
    const file = join(folder, 'one.cast')
    await writeFile(file, text)
    for (const [name, form] of Object.entries({ pem: key.pem, ssh: key.ssh, jwk: JSON.stringify(key.jwk) })) {
      await writeFile(join(folder, name), form)
      const { status, out } = await run(['verify', file, '--key', join(folder, name)])
      expect([name, status]).toEqual([name, 0])
      expect(out).toContain(`session: ${uid}`)
      expect(out).toContain(`key: ${key.id}`)
    }
    await writeFile(file, text.replace('two', 'owt'))
    const changed = await run(['verify', file, '--key', join(folder, 'pem')])
    expect(changed).toMatchObject({ status: 1, out: 'Chunk 1: its bytes do not match its hash.' })
  })

  it('reports an invalid signature for a recording of another server', async () => {
    const { file } = await recorded('x')
    const other = 'MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
    await writeFile(join(folder, 'other'), `-----BEGIN PUBLIC KEY-----\n${other}\n-----END PUBLIC KEY-----\n`)
    const { status, out } = await run(['verify', file, '--key', join(folder, 'other')])
    expect([status, out]).toEqual([1, 'Chunk 0: its signature is invalid.'])
  })
})

describe('bowline recordings verify --namespace', () => {
  it('detects a missing recording and a truncated or modified ledger', async () => {
    const { namespace, tenant } = person
    const verify = (...args: string[]) => onServer('verify', '--namespace', namespace, ...args)
    const lost = await recorded('lost')
    expect(await verify()).toMatchObject({ status: 0, errors: '' })
    const { out } = await onServer('head', '--namespace', namespace, '--json')
    const [{ sequence, hash }] = JSON.parse(out) as [{ sequence: number; hash: string }]
    const kept = `${sequence}:${hash}`
    expect((await verify('--head', kept)).status).toBe(0)

    await rm(lost.file)
    await server.database.system().deleteFrom('recordings').where('session_uid', '=', lost.uid).execute()
    const missing = await verify()
    expect(missing.status).toBe(1)
    expect(missing.out).toContain(`session ${lost.uid} seat 0: missing`)

    // Only the owner of the tables can do this; the working roles may not.
    await asOwner(server.owner, async (client) => {
      await client.query('alter table recording_ledger no force row level security')
      await client.query('delete from recording_ledger where tenant_id = $1 and sequence >= $2', [tenant, sequence - 1])
    })
    expect((await verify()).status).toBe(0)
    const cut = await verify('--head', kept)
    expect([cut.status, cut.out]).toEqual([1, expect.stringContaining('does not have the head')])
    await asOwner(server.owner, (client) =>
      client.query('delete from recording_ledger where tenant_id = $1 and sequence = 2', [tenant]),
    )
    const gap = await verify()
    expect([gap.status, gap.out]).toEqual([1, expect.stringContaining('Entries 2 to 2 are missing.')])
  })
})
