// Files of recordings after a failure in their beginning: Node ends the process when it collects an open handle.
import { randomBytes } from 'node:crypto'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asOwner } from '../../db/owner-session.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { postFrame } from '../../testing/http-server.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
  await change(`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before update of recorded on sessions for each row execute function refuse()`)
})
afterAll(() => server.close())

/** Changes the schema. */
const change = (statements: string) => asOwner(server.owner, (client) => client.query(statements))

async function session(): Promise<SessionUid> {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  const { uid: device } = await server.acceptedDevice(person)
  const row = { uid, tenant_id: person.tenant, device_uid: device, username: 'root', type: 'term' as const }
  await server.database.system().insertInto('sessions').values(row).execute()
  return uid
}

/** Paths of the recordings that this process has open. */
async function openRecordings(): Promise<string[]> {
  const descriptors = (await readdir('/proc/self/fd')).map((name) => readlink(join('/proc/self/fd', name)))
  const paths = (await Promise.allSettled(descriptors)).map((one) => (one.status === 'fulfilled' ? one.value : ''))
  return paths.filter((path) => path.startsWith(join(server.dataFolder, 'recordings')))
}

it('are closed when the database does not take that the session is recorded', async () => {
  const uid = await session()
  await expect(postFrame(server, uid, 'one')).rejects.toMatchObject({ status: 500 })
  expect(await openRecordings()).toEqual([])
})
