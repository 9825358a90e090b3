// Enrolment of devices without an agent, in a whole server, by real ssh clients and for real SSH servers.
import { writeFileSync } from 'node:fs'
import { operations } from '@bowline/contract/operations'
import { ScratchFolder } from '@bowline/testkit/real-client'
import { type RealServer, serverKinds } from '@bowline/testkit/ssh-servers'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../../testing/boot.ts'
import { connectDevice, devicesOf, installKeyOf, onlineDevice, ownKey, startClient } from './testing.ts'

const [openSsh] = serverKinds
let server: BootedServer
let person: Person
let scratch: ScratchFolder
let sshd: RealServer

beforeAll(async () => {
  scratch = new ScratchFolder()
  if (!openSsh) throw new Error('the servers are missing')
  const authorizedKey = scratch.file('nobody.pub')
  writeFileSync(authorizedKey, '')
  sshd = await openSsh.start({ scratch, authorizedKey })
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(async () => {
  await server.close()
  await sshd[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

let people = 0
const newcomer = (): Promise<Person> => server.addPerson(`enroller${(people += 1)}`)
const usesOf = async (owner: Person) =>
  (await owner.client.call(operations.installKeys.list, { query: {} })).body.map((key) => key.uses)

/**
 * Forwards a port and refuses the first connection to it. asyncssh does so by itself, now and then: until it has noted the
 * answer to its request.
 */
const REFUSES_ONCE = `
import asyncio, asyncssh, sys
async def refuse():
    raise asyncssh.ChannelOpenError(asyncssh.OPEN_CONNECT_FAILED, 'not yet')
async def main(port, user, server, key):
    options = dict(username=user, client_keys=[key], known_hosts=None, config=None)
    async with asyncssh.connect('127.0.0.1', int(port), **options) as connection:
        answers = iter([refuse])
        forward = lambda: connection.forward_connection('127.0.0.1', int(server))
        await connection.create_server(lambda host, port: next(answers, forward)(), 'localhost', 0)
        await connection.wait_closed()
asyncio.run(main(*sys.argv[1:]))`

describe('a device that connects with an install key', () => {
  it('is asked again when its client has refused the connection to its SSH server', async () => {
    const owner = await newcomer()
    const user = `${await installKeyOf(owner)}.python`
    const args = [String(server.sshPort), user, String(sshd.port), ownKey(scratch)]
    startClient('/usr/bin/python3', ['-W', 'ignore', '-c', REFUSES_ONCE, ...args])
    expect((await onlineDevice(owner, 'python')).status).toBe('accepted')
  })

  it('becomes an accepted device with the tags of the key, and says what it is', async () => {
    person = await newcomer()
    const key = await installKeyOf(person, { tags: ['routers'] })
    const client = connectDevice(server, `${key}.Router-3`, { port: sshd.port, key: scratch.key('ed25519') })
    const device = await onlineDevice(person, 'router-3')
    expect(device).toMatchObject({ status: 'accepted', tags: ['routers'], info: { platform: 'ssh' } })
    expect(device.info?.version).toMatch(/^OpenSSH_/)
    await until(() => client.said().includes('this device is enrolled as router-3'))
    expect(client.said()).toContain(`people reach it as USER@${person.namespace}.router-3`)
    const log = await person.client.call(operations.audit.list, { query: {} })
    expect(log.body.map(({ action }) => action)).toEqual(expect.arrayContaining(['install-key.use', 'device.accept']))
    client.stop()
    await until(async () => !(await devicesOf(person))[0]?.online)
  })

  it('is told the address that it has reached where the server has no name, and the setting that gives it one', async () => {
    person = await newcomer()
    const key = await installKeyOf(person)
    const client = connectDevice(server, `${key}.unnamed`, { port: sshd.port, key: scratch.key('ed25519') })
    const { uid } = await onlineDevice(person, 'unnamed')
    await until(() => client.said().includes('schtasks'))
    expect(client.said()).toContain(`-p ${server.sshPort} -R 0:localhost:22 ${uid}@127.0.0.1`)
    expect(client.said()).toContain('BOWLINE_DOMAIN is not set. 127.0.0.1 is the address')
    expect(client.said()).not.toContain('example.com')
  })

  it('is told the name of the server where it has one', async () => {
    const named = await bootServer({ settings: { BOWLINE_DOMAIN: 'ssh.lab.example' } })
    onTestFinished(() => named.close())
    person = await named.setUpAccount()
    const key = await installKeyOf(person)
    const client = connectDevice(named, `${key}.named`, { port: sshd.port, key: scratch.key('ed25519') })
    const { uid } = await onlineDevice(person, 'named')
    await until(() => client.said().includes('schtasks'))
    expect(client.said()).toContain(`-p ${named.sshPort} -R 0:localhost:22 ${uid}@ssh.lab.example`)
    expect(client.said()).not.toContain('BOWLINE_DOMAIN')
  })

  it('stays pending where the key does not accept', async () => {
    person = await newcomer()
    const key = await installKeyOf(person, { accepts: false })
    const client = connectDevice(server, `${key}.waits`, { port: sshd.port, key: scratch.key('ed25519') })
    expect(await onlineDevice(person, 'waits')).toMatchObject({ status: 'pending' })
    await until(() => client.said().includes('nobody can reach it before it is accepted'))
  })

  it('connects again by its key or by its uid without using the install key up', async () => {
    person = await newcomer()
    const key = await installKeyOf(person, { max_uses: 1 })
    const own = { port: sshd.port, key: scratch.key('ed25519') }
    const first = connectDevice(server, `${key}.again`, own)
    const { uid } = await onlineDevice(person, 'again')
    await until(() => first.said().includes('enrolled'))
    for (const user of [key, uid]) {
      const next = connectDevice(server, user, own)
      await until(() => next.said().includes('this device is connected as again'))
    }
    expect(await usesOf(person)).toEqual([1])
    expect(await devicesOf(person)).toHaveLength(1)
    const other = connectDevice(server, key, { port: sshd.port, key: scratch.key('ecdsa') })
    expect(await other.ended).toBe(255)
    expect(other.said()).toContain('The install key is refused: it has been used up.')
  })

  it('is told that it needs a key when its client has none', async () => {
    person = await newcomer()
    const client = connectDevice(server, await installKeyOf(person), { port: sshd.port, key: undefined })
    expect(await client.ended).toBe(255)
    expect(client.said()).toContain('ssh-keygen -t ed25519')
    expect(await devicesOf(person)).toEqual([])
  })

  it('is refused with a key that nobody has made, and as a device of another key', async () => {
    person = await newcomer()
    const key = await installKeyOf(person)
    const own = { port: sshd.port, key: scratch.key('ed25519') }
    const unknown = connectDevice(server, `ik-${'a'.repeat(26)}`, own)
    expect(await unknown.ended).toBe(255)
    expect(unknown.said()).toContain('there is no such key')
    connectDevice(server, `${key}.mine`, own)
    const { uid } = await onlineDevice(person, 'mine')
    const thief = connectDevice(server, uid, { port: sshd.port, key: scratch.key('ecdsa') })
    expect(await thief.ended).toBe(255)
    expect((await onlineDevice(person, 'mine')).uid).toBe(uid)
  })

  it('is no device while no SSH server answers through its port', async () => {
    person = await newcomer()
    const client = connectDevice(server, await installKeyOf(person), { port: 1, key: scratch.key('ed25519') })
    await client.ended
    expect(client.said()).toContain('no SSH server was reached')
    expect(await devicesOf(person)).toEqual([])
    expect(await usesOf(person)).toEqual([0])
  })

  it('goes when it is removed', async () => {
    person = await newcomer()
    const key = await installKeyOf(person)
    const client = connectDevice(server, `${key}.gone`, { port: sshd.port, key: scratch.key('ed25519') })
    const { uid } = await onlineDevice(person, 'gone')
    await person.client.call(operations.devices.remove, { params: { uid } })
    await client.ended
    expect(client.said()).toContain('The device has been removed.')
  })
})
