// Who is behind a session, over real connections: account, method, key and command, as the API names them.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { operations } from '@bowline/contract/operations'
import type { Session } from '@bowline/contract/schemas/session'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { TOUCHED, VERIFIED, type UserKey, ed25519Key, fidoKey } from '@bowline/ssh/testing/user-key'
import * as n from '@bowline/ssh/wire/numbers'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  OPENSSH,
  answerOf,
  approve,
  askForFactor,
  askedInteractively,
  ownKey,
  registerKey,
  reply,
  signing,
  theHeldLogin,
} from '../../held-logins/testing.ts'
import { addFactor, codeAt } from '../../mfa/testing.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { DEVICE_PASSWORD, type FakeDevice, fakeDevice, rawClient, signedIn } from '../../testing/gateway.ts'
import { readyPage } from '../web/testing.ts'

let clock: ManualClock
let server: BootedServer
let owner: Person
let device: FakeDevice
let login: string
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  clock.advance(3_600_000)
  owner = await server.addPerson(`person-${(number += 1)}`)
  device = await fakeDevice(server, owner)
  login = device.login('root')
})

const me = (): Session['person'] => ({ id: owner.id, name: `${owner.username}@example.com` })
const filterOf = (name: string, operator: string, value: string): string =>
  Buffer.from(JSON.stringify([{ type: 'property', params: { name, operator, value } }])).toString('base64')
const list = async (filter?: string) => (await owner.client.call(operations.sessions.list, { query: { filter } })).body

/** The newest session, once it has been let in. */
function theSession(): Promise<Session> {
  return until(async () => (await list()).find(({ authenticated }) => authenticated))
}

async function keygenFingerprint({ publicKey, blob }: UserKey): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-key-'))
  const file = join(folder, 'key.pub')
  await writeFile(file, `${publicKey.type} ${Buffer.from(blob).toString('base64')} ada\n`)
  const { stdout } = await promisify(execFile)('ssh-keygen', ['-l', '-f', file])
  await rm(folder, { recursive: true })
  return stdout.split(' ')[1] ?? ''
}

describe('a session', () => {
  it('names the owner of the key, and the key as ssh-keygen -l does', async () => {
    const key = await ownKey(owner)
    expect(await answerOf(await signing(server, login, key))).toMatchObject({ kind: 'success' })
    expect(await theSession()).toMatchObject({
      person: me(),
      method: 'publickey',
      second_factor: null,
      key: { name: 'a key', fingerprint: await keygenFingerprint(key) },
    })
  })

  it('names nobody for a service key and for a password', async () => {
    const key = ed25519Key()
    await registerKey(owner, key, null)
    await answerOf(await signing(server, login, key))
    expect(await theSession()).toMatchObject({ person: null, method: 'publickey', key: { name: 'a key' } })
    await signedIn(server, login)
    await until(async () => (await list()).filter(({ authenticated }) => authenticated).length === 2)
    expect((await list()).find(({ method }) => method === 'password')).toMatchObject({ person: null, key: null })
  })

  it('names the account that is signed in to the console, for a terminal in a browser', async () => {
    await readyPage(server, owner, device.device.uid)
    expect(await theSession()).toMatchObject({ type: 'web', person: me(), method: 'password', key: null })
  })

  it('names the method of an attempt that was refused', async () => {
    const client = await rawClient(server)
    await client.startAuthentication()
    client.sendPassword(login, 'wrong')
    await until(async () => (await list()).length === 1)
    expect(await list()).toMatchObject([{ authenticated: false, person: null, method: 'password' }])
  })

  it('has the first command that was run without a shell', async () => {
    const client = await signedIn(server, login)
    for (const [id, command] of ['uptime -p', 'false'].entries()) {
      const channel = await client.openSession(id)
      client.send(client.channelRequest(channel, 'exec').string(command).done())
      await client.next(n.MSG_CHANNEL_SUCCESS)
    }
    clock.advance(1_000)
    await until(async () => (await list())[0]?.events.types.includes('exec'))
    expect(await list()).toMatchObject([{ command: 'uptime -p' }])
  })

  it('still names a member who has been removed since', async () => {
    const member = await server.addPerson(`member-${number}`)
    await server.addMember(owner.tenant, member.id, 'operator')
    const key = ed25519Key()
    await registerKey(owner, key, member.id)
    await answerOf(await signing(server, login, key))
    await theSession()
    await server.removeMember(owner.tenant, member.id)
    expect(await theSession()).toMatchObject({ person: { id: member.id, name: `${member.username}@example.com` } })
  })
})

describe('a session where a second factor is asked for', () => {
  beforeEach(() => askForFactor(owner))

  it('was approved at its first login, and earlier at the next', async () => {
    const key = await ownKey(owner)
    const client = await signing(server, login, key, OPENSSH)
    await approve(owner, (await theHeldLogin(owner)).code)
    await answerOf(client)
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
    expect(await theSession()).toMatchObject({ person: me(), second_factor: 'approval' })
    await answerOf(await signing(server, login, key))
    await until(async () => (await list()).some((session) => session.second_factor === 'earlier'))
  })

  it('names whoever approved its password', async () => {
    const client = await rawClient(server)
    await client.startAuthentication()
    client.sendPassword(login, DEVICE_PASSWORD)
    const { text } = await answerOf(client)
    const member = await server.addPerson(`approver-${number}`)
    await server.addMember(owner.tenant, member.id, 'observer')
    await approve(member, /approve\/(\S+)/.exec(text)?.[1] ?? '')
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
    const person = { id: member.id, name: `${member.username}@example.com` }
    expect(await theSession()).toMatchObject({ person, method: 'password', second_factor: 'approval' })
  })

  it('was proven by a code, or by a key that has verified its user', async () => {
    const { secret } = await addFactor(owner.client, clock)
    clock.advance(60_000)
    const client = await signing(server, login, await ownKey(owner))
    await answerOf(client)
    askedInteractively(client, login)
    await answerOf(client)
    reply(client, codeAt(secret, clock.now()))
    expect(await answerOf(client)).toMatchObject({ kind: 'success' })
    expect(await theSession()).toMatchObject({ second_factor: 'code', method: 'publickey' })
    const fido = fidoKey('ed25519', TOUCHED | VERIFIED)
    await registerKey(owner, fido)
    await answerOf(await signing(server, login, fido))
    await until(async () => (await list()).some((session) => session.second_factor === 'security-key'))
  })
})

it('lists sessions by person, method and fingerprint', async () => {
  const key = await ownKey(owner)
  await answerOf(await signing(server, login, key))
  await signedIn(server, login)
  await until(async () => (await list()).filter(({ authenticated }) => authenticated).length === 2)
  const methods = async (...condition: Parameters<typeof filterOf>) =>
    (await list(filterOf(...condition))).map(({ method }) => method)
  expect(await methods('person_id', 'eq', owner.id)).toEqual(['publickey'])
  expect(await methods('person', 'contains', owner.username)).toEqual(['publickey'])
  expect(await methods('method', 'eq', 'password')).toEqual(['password'])
  expect(await methods('fingerprint', 'eq', await keygenFingerprint(key))).toEqual(['publickey'])
  expect(await methods('fingerprint', 'eq', 'SHA256:other')).toEqual([])
})
