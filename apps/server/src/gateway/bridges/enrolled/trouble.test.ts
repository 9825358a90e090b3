// What goes wrong with devices without an agent: other host keys, hostile servers, connections that die or are replaced.
import { readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { operations } from '@bowline/contract/operations'
import { ScratchFolder, hasCommand, run, sshOptions } from '@bowline/testkit/real-client'
import { type RealServer, serverKinds } from '@bowline/testkit/ssh-servers'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../../testing/boot.ts'
import {
  connectDevice,
  devicesOf,
  impostor,
  installKeyOf,
  listenUntilEnd,
  onlineDevice,
  ownKey,
  relayTo,
  startClient,
} from './testing.ts'

const [, , , asyncssh] = serverKinds
let server: BootedServer
let person: Person
let scratch: ScratchFolder
/** Takes the password `right`. */
let honest: RealServer
/** File of the person's private key. */
let key: string

beforeAll(async () => {
  scratch = new ScratchFolder()
  if (!asyncssh) throw new Error('the servers are missing')
  honest = await asyncssh.start({ scratch, authorizedKey: `${scratch.key('rsa', 2_048)}.pub` })
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  person = await server.setUpAccount()
  key = scratch.key('ecdsa')
  const data = Buffer.from(readFileSync(`${key}.pub`)).toString('base64')
  const body = { name: 'laptop', username: '.*', data, filter: { hostname: '.*' } }
  await person.client.call(operations.publicKeys.create, { body })
})
afterAll(async () => {
  await server.close()
  await honest[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** Enrols a device. @returns its client, and what connects it again */
async function enrol(name: string, port: number) {
  const own = ownKey(scratch)
  const user = `${await installKeyOf(person)}.${name}`
  const client = connectDevice(server, user, { port, key: own })
  await onlineDevice(person, name)
  return { client, again: (to: number) => connectDevice(server, user, { port: to, key: own }) }
}

const target = (name: string) => `ann@${person.namespace}.${name}@127.0.0.1`
const ONCE = ['NumberOfPasswordPrompts=1', 'LogLevel=INFO']
const withPassword = (name: string, ...command: string[]) => {
  const options = sshOptions(server.sshPort, ['PreferredAuthentications=password', ...ONCE])
  return run('sshpass', ['-p', 'right', 'ssh', ...options, target(name), ...command])
}
const withKey = (name: string) =>
  run('ssh', [...sshOptions(server.sshPort, ['BatchMode=yes', `IdentityFile=${key}`, ...ONCE]), target(name), 'true'])

const hostKeysTold = async () => {
  const { body } = await person.client.call(operations.audit.list, { query: {} })
  return body.filter(({ action }) => action === 'device.host-key').map(({ details }) => details['name'])
}

describe('another host key', () => {
  it('of a device that connects again is refused, and told to its client and the audit log, once', async () => {
    const { client, again } = await enrol('reinstalled', honest.port)
    client.stop()
    await client.ended
    const { port } = await impostor()
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const refused = again(port)
      await refused.ended
      expect(refused.said()).toContain('the host key of this device has changed')
      // ssh shows other characters as octal numbers.
      expect(refused.said()).toMatch(/accept-host-key [\w.-]+ reinstalled FINGERPRINT$/m)
    }
    expect(await hostKeysTold()).toEqual(['reinstalled'])
    expect((await devicesOf(person)).find(({ name }) => name === 'reinstalled')?.online).toBe(false)
    again(honest.port)
    await onlineDevice(person, 'reinstalled')
  })

  it('and many more of them fill no audit log', async () => {
    const { client, again } = await enrol('shifting', honest.port)
    client.stop()
    await client.ended
    for (let attempt = 0; attempt < 7; attempt += 1) await again((await impostor()).port).ended
    expect((await hostKeysTold()).filter((name) => name === 'shifting')).toHaveLength(5)
  })

  it('does not displace the connection of the device that was enrolled', async () => {
    const { again } = await enrol('cloned', honest.port)
    const { port } = await impostor()
    await again(port).ended
    expect((await withPassword('cloned', 'echo still')).stdout.toString()).toBe('still\n')
  })

  it('behind a connection that stands gets no password and no key, and is told', async () => {
    const { port, target: behind } = await relayTo(honest.port)
    await enrol('swapped', port)
    expect((await withPassword('swapped', 'echo before')).stdout.toString()).toBe('before\n')
    const { port: other, credentials } = await impostor()
    behind.port = other
    expect((await withPassword('swapped', 'echo after')).code).toBe(255)
    const byKey = await withKey('swapped')
    expect(byKey.code).toBe(255)
    expect(byKey.stderr).toContain('the host key of the device has changed since it was enrolled')
    expect(credentials).toEqual([])
    await until(async () => (await hostKeysTold()).includes('swapped'))
  })
})

describe('a server that is no SSH server', () => {
  it.each([
    [
      'an endless banner',
      (socket: Socket) => {
        const more = (): void => {
          while (socket.writable && socket.write('hello\r\n'.repeat(1_000)));
        }
        socket.on('drain', more)
        more()
      },
    ],
    ['another protocol', (socket: Socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(200))],
    ['an end at once', (socket: Socket) => void socket.end()],
    [
      'random bytes after its identification',
      (socket: Socket) => void socket.write(`SSH-2.0-x\r\n${'\u0000z'.repeat(40_000)}`),
    ],
  ])('with %s makes no device', async (_, serve) => {
    const before = (await devicesOf(person)).length
    const client = connectDevice(server, await installKeyOf(person), {
      port: await listenUntilEnd(serve),
      key: ownKey(scratch),
    })
    await client.ended
    expect(client.said()).toContain('no SSH server was reached')
    expect(await devicesOf(person)).toHaveLength(before)
  })
})

describe('the connection of a device', () => {
  it('is replaced by its next one, and its client is told', async () => {
    const { client, again } = await enrol('twice', honest.port)
    const second = again(honest.port)
    await client.ended
    expect(client.said()).toContain('another connection of this device has replaced this one')
    await until(() => second.said().includes('connected as twice'))
    await onlineDevice(person, 'twice')
    expect((await withPassword('twice', 'echo second')).stdout.toString()).toBe('second\n')
  })

  it('that dies in the middle of a session ends the session with its reason', async () => {
    const { client } = await enrol('dying', honest.port)
    const session = withPassword('dying', 'echo started; sleep 60')
    const sessions = async () => (await person.client.call(operations.sessions.list, { query: {} })).body
    const find = async () => (await sessions()).find(({ device }) => device?.name === 'dying')
    await until(async () => (await find())?.authenticated)
    client.stop()
    const done = await session
    expect(done.code).toBe(255)
    expect(done.stderr).toContain('The device ended the connection.')
    await until(async () => (await find())?.active === false)
  })

  it('may be for another port than before', async () => {
    const { client, again } = await enrol('moved', honest.port)
    client.stop()
    await client.ended
    const { port } = await relayTo(honest.port)
    again(port)
    await onlineDevice(person, 'moved')
    expect((await withPassword('moved', 'echo there')).stdout.toString()).toBe('there\n')
  })

  it('lends nothing of this server to its client', async () => {
    const user = await installKeyOf(person)
    const options = sshOptions(server.sshPort, [`IdentityFile=${ownKey(scratch)}`, 'BatchMode=yes', 'LogLevel=INFO'])
    const done = await run('ssh', [...options, '-W', 'localhost:22', `${user}@127.0.0.1`])
    expect(done.code).not.toBe(0)
    expect(done.stderr).toContain('nothing runs here')
  })
})

describe('other ssh clients', () => {
  it.skipIf(!hasCommand('dbclient'))('dbclient enrols a device', async () => {
    const file = scratch.file('dropbear-own')
    expect((await run('dropbearkey', ['-t', 'ed25519', '-f', file])).code).toBe(0)
    const user = `${await installKeyOf(person)}.by-dbclient`
    const args = ['-T', '-y', '-y', '-i', file, '-p', String(server.sshPort), '-R', `22:localhost:${honest.port}`]
    const client = startClient('dbclient', [...args, `${user}@127.0.0.1`])
    await onlineDevice(person, 'by-dbclient')
    await until(() => client.said().includes('enrolled as by-dbclient'))
    expect((await withPassword('by-dbclient', 'echo in')).stdout.toString()).toBe('in\n')
  })

  it.skipIf(!hasCommand('plink') || !hasCommand('puttygen'))('plink enrols a device', async () => {
    const file = scratch.file('plink-own.ppk')
    writeFileSync(scratch.file('empty'), '')
    const made = ['-t', 'ed25519', '-o', file, '--new-passphrase', scratch.file('empty')]
    expect((await run('puttygen', made)).code).toBe(0)
    const { stdout } = await run('ssh-keyscan', ['-p', String(server.sshPort), '-t', 'ed25519', '127.0.0.1'])
    const hostKey = `SHA256:${await fingerprintOf(stdout.toString())}`
    const user = `${await installKeyOf(person)}.by-plink`
    const args = ['-batch', '-noagent', '-hostkey', hostKey, '-i', file, '-P', String(server.sshPort)]
    const forward = ['-R', `2222:localhost:${honest.port}`]
    const client = startClient('plink', [...args, ...forward, `${user}@127.0.0.1`])
    await onlineDevice(person, 'by-plink')
    await until(() => client.said().includes('enrolled as by-plink'))
    expect((await withPassword('by-plink', 'echo in')).stdout.toString()).toBe('in\n')
  })
})

/** Of the key that `ssh-keyscan` has printed. */
async function fingerprintOf(scanned: string): Promise<string> {
  const base64 = /ssh-ed25519 (\S+)/.exec(scanned)?.[1] ?? ''
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(base64, 'base64'))
  return Buffer.from(digest).toString('base64').replaceAll('=', '')
}

it('connected devices take no room from people, and do not keep the server from ending', async () => {
  const small = await bootServer({ settings: { BOWLINE_MAX_SESSIONS: '1' } })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= small.close())
  onTestFinished(close)
  const owner = await small.setUpAccount()
  const user = `${await installKeyOf(owner)}.roomy`
  const client = connectDevice(small, user, { port: honest.port, key: ownKey(scratch) })
  await until(() => client.said().includes('enrolled as roomy'))
  const options = sshOptions(small.sshPort, ['PreferredAuthentications=password', ...ONCE])
  const login = `ann@${owner.namespace}.roomy@127.0.0.1`
  const done = await run('sshpass', ['-p', 'right', 'ssh', ...options, login, 'echo in'])
  expect(done.stdout.toString()).toBe('in\n')
  await close()
  await client.ended
  expect(client.said()).toContain('The server is stopping.')
})
