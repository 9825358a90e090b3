// Logins by registered keys on devices without an agent: their OpenSSH server trusts the namespace's authority.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { operations } from '@bowline/contract/operations'
import { ScratchFolder, run, sshOptions } from '@bowline/testkit/real-client'
import { type RealServer, serverKinds } from '@bowline/testkit/ssh-servers'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../../testing/boot.ts'
import { connectDevice, installKeyOf, onlineDevice, ownKey } from './testing.ts'

const [openSsh, , dropbear] = serverKinds
let server: BootedServer
let person: Person
let scratch: ScratchFolder
let sshd: RealServer
/** File that the device's SSH server trusts. */
let trusted: string
/** File of the person's private key. */
let key: string

beforeAll(async () => {
  scratch = new ScratchFolder()
  if (!openSsh) throw new Error('the servers are missing')
  const authorizedKey = scratch.file('nobody.pub')
  writeFileSync(authorizedKey, '')
  trusted = scratch.file('trusted.pub')
  writeFileSync(trusted, '')
  sshd = await openSsh.start({ scratch, authorizedKey, configuration: [`TrustedUserCAKeys ${trusted}`] })
  server = await bootServer()
  person = await server.setUpAccount()
  const settings = { session_record: true }
  await person.client.call(operations.namespaces.update, { params: { tenant: person.tenant }, body: { settings } })
  key = scratch.key('ecdsa')
  const data = Buffer.from(readFileSync(`${key}.pub`)).toString('base64')
  const body = { name: 'laptop', username: '.*', data, filter: { hostname: '.*' } }
  await person.client.call(operations.publicKeys.create, { body })
})
afterAll(async () => {
  await server.close()
  await sshd[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** Enrols a device. @returns what its client was told to trust */
async function enrol(name: string, port: number): Promise<string> {
  const own = { port, key: ownKey(scratch) }
  const client = connectDevice(server, `${await installKeyOf(person)}.${name}`, own)
  await onlineDevice(person, name)
  const line = /echo '(ssh-ed25519 .*)' >/
  await until(() => line.test(client.said()))
  return line.exec(client.said())?.[1] ?? ''
}

const enrolTrusting = async (name: string): Promise<void> => writeFileSync(trusted, `${await enrol(name, sshd.port)}\n`)

const options = (extra: readonly string[] = []) =>
  sshOptions(server.sshPort, ['BatchMode=yes', `IdentityFile=${key}`, ...extra])
const target = (name: string, user = sshd.user) => `${user}@${person.namespace}.${name}@127.0.0.1`
const byKey = (name: string, ...rest: string[]) => run('ssh', [...options(), target(name), ...rest])

const sessionsOf = async (name: string) => {
  const { body } = await person.client.call(operations.sessions.list, { query: {} })
  return body.filter((session) => session.device?.name === name)
}

/** What the sessions on a device tell of files. */
async function filesOf(name: string) {
  const files: unknown[] = []
  for (const { uid } of await sessionsOf(name)) {
    const { body } = await person.client.call(operations.sessions.get, { params: { uid } })
    files.push(...(body.events.items ?? []).filter(({ type }) => type === 'file').map(({ data }) => data))
  }
  return files
}

describe('a registered key', () => {
  it('lets its person in by a certificate that the SSH server of the device trusts', async () => {
    await enrolTrusting('trusting')
    const done = await byKey('trusting', 'echo out; echo err >&2; exit 5')
    expect([done.stdout.toString(), done.stderr, done.code]).toEqual(['out\n', 'err\n', 5])
  })

  it('gets a shell on a terminal of the device, which is recorded', async () => {
    await enrolTrusting('shells')
    const input = Buffer.from('stty size; echo on-$((40 + 2)); exit 6\n')
    const done = await run('ssh', [...options(), '-tt', target('shells')], input)
    expect(done.code).toBe(6)
    expect(done.stdout.toString()).toContain('on-42')
    await until(async () => (await sessionsOf('shells'))[0]?.active === false)
    const [session] = await sessionsOf('shells')
    expect(session).toMatchObject({ authenticated: true, recorded: true, username: sshd.user })
  })

  it('is refused with the reason where the device does not trust the namespace', async () => {
    await enrol('untrusting', sshd.port)
    writeFileSync(trusted, '')
    const done = await run('ssh', [...options(['LogLevel=INFO']), target('untrusting'), 'true'])
    expect(done.code).toBe(255)
    expect(done.stderr).toContain('OpenSSH needs TrustedUserCAKeys in its sshd_config')
  })

  it('is refused for an account that the device does not have', async () => {
    await enrolTrusting('accounts')
    const done = await run('ssh', [...options(), target('accounts', 'nobody-of-this-name'), 'true'])
    expect(done.code).toBe(255)
    expect((await byKey('accounts', 'echo in')).stdout.toString()).toBe('in\n')
  })

  it.skipIf(dropbear?.missing() !== undefined)('is refused by Dropbear that does not have the line', async () => {
    const small = await dropbear?.start({ scratch, authorizedKey: `${scratch.key('rsa', 2_048)}.pub` })
    if (!small) throw new Error('the server is missing')
    onTestFinished(() => small[Symbol.asyncDispose]())
    await enrol('small', small.port)
    const done = await run('ssh', [...options(['LogLevel=INFO']), target('small'), 'true'])
    expect(done.code).toBe(255)
    expect(done.stderr).toContain('Dropbear a line in authorized_keys')
  })

  it.skipIf(dropbear?.missing() !== undefined)('lets its person in by the line that Dropbear has', async () => {
    const { body } = await person.client.call(operations.devices.userAuthority, {})
    const authorizedKey = scratch.file('dropbear.pub')
    writeFileSync(authorizedKey, `${body.dropbear.public_key}\n`)
    const small = await dropbear?.start({ scratch, authorizedKey })
    if (!small) throw new Error('the server is missing')
    onTestFinished(() => small[Symbol.asyncDispose]())
    await enrol('lined', small.port)
    expect((await byKey('lined', 'echo in')).stdout.toString()).toBe('in\n')
  })
})

describe('what SSH servers are to trust', () => {
  it('is the same in the answer to the enrolment and by the API, and fits the fingerprints', async () => {
    const printed = await enrol('compared', sshd.port)
    const { openssh, dropbear: plain } = (await person.client.call(operations.devices.userAuthority, {})).body
    expect(openssh.public_key).toBe(printed)
    expect(openssh.commands).toEqual([
      `echo '${printed}' > /etc/ssh/bowline_users.pub`,
      "echo 'TrustedUserCAKeys /etc/ssh/bowline_users.pub' >> /etc/ssh/sshd_config",
    ])
    for (const [index, { public_key: line, fingerprint }] of [openssh, plain].entries()) {
      const file = scratch.file(`line-${index}.pub`)
      writeFileSync(file, `${line}\n`)
      expect((await run('ssh-keygen', ['-l', '-f', file])).stdout.toString()).toContain(fingerprint)
    }
    expect(plain.fingerprint).not.toBe(openssh.fingerprint)
  })
})

describe('a person who is in', () => {
  it('transfers files by the SFTP of the device, which the session tells', async () => {
    await enrolTrusting('files')
    const bytes = Buffer.alloc(3_000_000, 'f')
    writeFileSync(scratch.file('sent'), bytes)
    const [sent, there, back] = ['sent', 'there', 'back'].map((name) => scratch.file(name))
    const scp = options().map((option) => (option === '-p' ? '-P' : option))
    const up = await run('scp', [...scp, `${sent}`, `${target('files')}:${there}`])
    expect([up.stderr, up.code]).toEqual(['', 0])
    const down = await run('scp', [...scp, `${target('files')}:${there}`, `${back}`])
    expect([down.stderr, down.code]).toEqual(['', 0])
    expect(readFileSync(`${back}`).equals(bytes)).toBe(true)
    await until(async () => (await filesOf('files')).length === 2)
    expect(await filesOf('files')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ operation: 'upload', path: there, bytes: bytes.length }),
        expect.objectContaining({ operation: 'download', path: there, bytes: bytes.length }),
      ]),
    )
  })

  it('reaches ports of the device', async () => {
    await enrolTrusting('ports')
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    await once(echo, 'listening')
    onTestFinished(() => void echo.close())
    const { port } = echo.address() as AddressInfo
    const bytes = Buffer.alloc(2_000_000, 'p')
    const done = await run('ssh', [...options(), '-W', `127.0.0.1:${port}`, target('ports')], bytes)
    expect([done.stdout.length, done.code]).toEqual([bytes.length, 0])
  })

  it.each([
    ['opens ports on the device', [], [0, '']],
    ['reports a server that opens none', ['AllowTcpForwarding local'], [255, 'remote port forwarding failed']],
  ] as const)('%s', async (what, configuration, [code, text]) => {
    const name = what.replaceAll(' ', '-')
    const authorizedKey = scratch.file('nobody.pub')
    const lines = [`TrustedUserCAKeys ${trusted}`, ...configuration]
    await using device = await openSsh?.start({ scratch, authorizedKey, configuration: lines })
    writeFileSync(trusted, `${await enrol(name, device?.port ?? 0)}\n`)
    const forwarding = [...options(['ExitOnForwardFailure=yes']), '-R', '0:localhost:9', target(name), 'true']
    const done = await run('ssh', forwarding)
    expect(done.code).toBe(code)
    expect(done.stderr).toContain(text)
  })
})
