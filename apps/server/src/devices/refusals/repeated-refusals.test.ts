// Registrations that are refused again and again: what each costs the database, counted on the way to it.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OwnerConnection } from '../../db/owner-session.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'

let server: BootedServer
let person: Person
/** Messages to the database; jobs send none while the clock stands. */
let sent = 0
const relay = createServer()
const clock = new ManualClock()

beforeAll(async () => {
  server = await bootServer({ clock, reach: throughRelay })
  person = await server.setUpAccount()
})
afterAll(async () => {
  await server.close()
  relay.close()
})

async function throughRelay(owner: OwnerConnection): Promise<string> {
  if (typeof owner === 'string') throw new TypeError('the tests’ PostgreSQL has a socket file')
  relay.on('connection', (near) => {
    const far = connect(`${owner.host}/.s.PGSQL.${owner.port}`)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    near.on('data', () => (sent += 1))
    near.pipe(far).pipe(near)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as AddressInfo
  return `postgres://${owner.user}:${encodeURIComponent(owner.password)}@127.0.0.1:${port}/${owner.database}`
}

const publicKey = () => generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })

/** An agent's registration, the same each time. @returns registers, and answers with status and code */
function agentWith(changes: Record<string, unknown>) {
  const info = { id: 'debian', pretty_name: 'Debian 12', version: 'v0.19.0', arch: 'amd64', platform: 'native' }
  const identity = { mac: '02:00:00:00:00:01' }
  const body = JSON.stringify({ info, identity, public_key: publicKey(), tenant_id: person.tenant, ...changes })
  return async (): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await server.fetch('/api/devices/auth', { method: 'POST', headers, body })
    return `${answer.status} ${((await answer.json()) as { code: string }).code}`
  }
}

/** An install key of no namespace. */
const UNKNOWN_KEY = `ik-${'a'.repeat(26)}`

it.each<[string, string, Record<string, unknown>]>([
  ['an unknown namespace', '404 NOT_FOUND', { tenant_id: randomUUID() }],
  ['an unknown install key', '403 INSTALL_KEY_REFUSED', { install_key: UNKNOWN_KEY }],
])('asks the database once in ten seconds for %s', async (_, refusal, changes) => {
  const register = agentWith(changes)
  const before = sent
  expect(await register()).toBe(refusal)
  expect(sent).toBeGreaterThan(before)
  const first = sent
  for (let attempt = 0; attempt < 50; attempt += 1) expect(await register()).toBe(refusal)
  expect(sent).toBe(first)
})

it('lets a device in with another install key at once', async () => {
  const [key, identity] = [publicKey(), { mac: '02:00:00:00:00:02' }]
  const refused = agentWith({ install_key: UNKNOWN_KEY, public_key: key, identity })
  expect(await refused()).toBe('403 INSTALL_KEY_REFUSED')
  const { body } = await person.client.call(operations.installKeys.create, { body: { name: 'fresh' } })
  expect(await agentWith({ install_key: body.key, public_key: key, identity })()).toBe('200 undefined')
})
