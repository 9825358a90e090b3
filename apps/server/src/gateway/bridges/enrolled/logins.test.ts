// Logins on devices without an agent: the device's own SSH server decides, the gateway records.
import { operations } from '@bowline/contract/operations'
import { ScratchFolder, run, sshOptions } from '@bowline/testkit/real-client'
import { type RealServer, serverKinds } from '@bowline/testkit/ssh-servers'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../../testing/boot.ts'
import { connectDevice, installKeyOf, onlineDevice, ownKey } from './testing.ts'

const [, , , asyncssh] = serverKinds
let server: BootedServer
let person: Person
let scratch: ScratchFolder
/** Takes the password `right`, and asks for a code. */
let byPassword: RealServer

beforeAll(async () => {
  scratch = new ScratchFolder()
  if (!asyncssh) throw new Error('the servers are missing')
  // It wants one; nobody signs in by it.
  const authorizedKey = `${scratch.key('ecdsa')}.pub`
  byPassword = await asyncssh.start({ scratch, authorizedKey })
  server = await bootServer()
  person = await server.setUpAccount()
  const settings = { session_record: true }
  await person.client.call(operations.namespaces.update, { params: { tenant: person.tenant }, body: { settings } })
})
afterAll(async () => {
  await server.close()
  await byPassword[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

async function enrol(name: string, sshd: RealServer): Promise<void> {
  connectDevice(server, `${await installKeyOf(person)}.${name}`, { port: sshd.port, key: ownKey(scratch) })
  await onlineDevice(person, name)
}

function withPassword(name: string, password: string, ...command: string[]) {
  const options = sshOptions(server.sshPort, ['PreferredAuthentications=password', 'NumberOfPasswordPrompts=1'])
  const target = `ann@${person.namespace}.${name}@127.0.0.1`
  return run('sshpass', ['-p', password, 'ssh', ...options, target, ...command], Buffer.from('in\n'))
}

const sessionsOf = async (name: string) => {
  const { body } = await person.client.call(operations.sessions.list, { query: {} })
  return body.filter((session) => session.device?.name === name)
}

describe('a device without an agent', () => {
  it('lets people in by the password that its SSH server takes, and the session is recorded', async () => {
    await enrol('by-password', byPassword)
    const done = await withPassword('by-password', 'right', 'cat; echo err >&2; exit 3')
    expect([done.stdout.toString(), done.stderr, done.code]).toEqual(['in\n', 'err\n', 3])
    await until(async () => (await sessionsOf('by-password'))[0]?.active === false)
    const [session] = await sessionsOf('by-password')
    expect(session).toMatchObject({ username: 'ann', authenticated: true, recorded: true })
  })

  it('refuses a wrong password, which leaves a session that nobody got into', async () => {
    await enrol('by-wrong', byPassword)
    const done = await withPassword('by-wrong', 'wrong', 'true')
    expect(done.code).toBe(255)
    await until(async () => (await sessionsOf('by-wrong'))[0]?.active === false)
    expect((await sessionsOf('by-wrong')).map(({ authenticated }) => authenticated)).toEqual([false])
  })
})
