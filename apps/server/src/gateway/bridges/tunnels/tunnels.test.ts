// Existing agents in a whole server: the protocol double of the test kit plays both of their transports, around real SSH
// servers.
import { type KeyObject, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { operations } from '@bowline/contract/operations'
import type { CloseCause } from '@bowline/ssh/api'
import { connectClient } from '@bowline/ssh/client'
import type { AuthOutcome, ClientCredential, ClientSigner, SshClientConnection } from '@bowline/ssh/client-api'
import { loadHostKey } from '@bowline/ssh/keys/host-key'
import { ClientProgram } from '@bowline/ssh/testing/client-program'
import { AgentDouble, type AgentDoubleOptions, askingForKeys } from '@bowline/testkit/agent-double'
import { ScratchFolder } from '@bowline/testkit/real-client'
import { type RealServer, serverKinds } from '@bowline/testkit/ssh-servers'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { VERSION } from '../../../platform/version.ts'
import { type BootedServer, type Person, bootServer, setStatus } from '../../../testing/boot.ts'
import { impostor, relayTo } from '../enrolled/testing.ts'
import { TUNNEL_SETTINGS, ask, httpService, openTunnel } from '../../../tunnels/testing/device.ts'

const [openSsh, , , asyncssh] = serverKinds
let server: BootedServer
let person: Person
let scratch: ScratchFolder
/** The key that the inner SSH servers have, and the double registers. */
let key: KeyObject
/** Takes the password `right`, and asks for a code. */
let byPassword: RealServer
/** Takes the keys that the double vouches for. */
let byKey: RealServer
let doubles: AgentDouble[] = []

beforeAll(async () => {
  scratch = new ScratchFolder()
  key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
  const pem = key.export({ format: 'pem', type: 'pkcs1' })
  writeFileSync(scratch.file('key-rsa-2048'), pem, { mode: 0o600 })
  const authorizedKey = scratch.file('nobody.pub')
  const nobody = loadHostKey(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))
  writeFileSync(authorizedKey, `ssh-ed25519 ${Buffer.from(nobody.blob).toString('base64')} nobody\n`)
  if (!openSsh || !asyncssh) throw new Error('the servers are missing')
  const asks = await askingForKeys(() => doubles.at(-1) as AgentDouble)
  byPassword = await asyncssh.start({ scratch, hostKeys: ['rsa'], authorizedKey })
  byKey = await openSsh.start({ scratch, hostKeys: ['rsa'], authorizedKey, configuration: asks.lines })
  server = await bootServer({ settings: TUNNEL_SETTINGS })
  person = await server.setUpAccount()
})
afterAll(async () => {
  await server.close()
  await byPassword[Symbol.asyncDispose]()
  await byKey[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

let names = 0
async function startDouble(transport: 1 | 2, more: Partial<AgentDoubleOptions> = {}): Promise<AgentDouble> {
  const options = { server: server.origin, tenant: person.tenant, transport, privateKey: key, ...more }
  const double = await AgentDouble.start({ hostname: `old-${(names += 1)}`, innerPort: byPassword.port, ...options })
  doubles.push(double)
  onTestFinished(async () => {
    doubles = doubles.filter((one) => one !== double)
    await double[Symbol.asyncDispose]()
    // All doubles have one key and one MAC: the next one is a new device only when this is gone.
    await person.client.call(operations.devices.remove, { params: { uid: uidOf(double) } }).catch(() => undefined)
  })
  return double
}

const uidOf = (double: AgentDouble) => double.uid as Parameters<typeof setStatus>[1]
const look = async (double: AgentDouble) =>
  (await person.client.call(operations.devices.get, { params: { uid: uidOf(double) } })).body
const isOnline = async (double: AgentDouble) => (await look(double)).online

/** A double that is online and accepted. @returns it, and the SSH user name of an account on it */
async function accepted(transport: 1 | 2, more: Partial<AgentDoubleOptions> = {}) {
  const double = await startDouble(transport, more)
  await until(() => isOnline(double))
  await setStatus(person, uidOf(double), 'accept')
  const { namespace, name } = await look(double)
  return { double, login: (user: string) => `${user}@${namespace}.${name}` }
}

interface Dialled {
  readonly client: SshClientConnection
  readonly outcome: AuthOutcome
  readonly closed: Promise<CloseCause>
}

async function signIn(login: string, credential: ClientCredential): Promise<Dialled> {
  const socket = connect({ host: '127.0.0.1', port: server.sshPort, noDelay: true })
  await once(socket, 'connect')
  const { promise: closed, resolve } = Promise.withResolvers<CloseCause>()
  const peer = { address: '127.0.0.1', port: server.sshPort }
  const client = connectClient(socket, peer, { software: 'Test', acceptsHostKey: () => true }, { closed: resolve })
  onTestFinished(async () => {
    client.disconnect({ by: 'local', reason: 'done', message: '' })
    await closed
  })
  return { client, outcome: await client.authenticate(login, credential), closed }
}

/** Runs a command. @throws {Error} with what the person would have been told when it is refused */
async function exec(client: SshClientConnection, command: string): Promise<ClientProgram> {
  const program = await ClientProgram.open(client)
  if (await program.channel.request({ type: 'exec', command: Buffer.from(command) })) return program
  await program.ended
  throw new Error(`the command was refused: ${program.stderr.toString()}`)
}

const byRightPassword = { method: 'password', password: 'right' } as const

async function registeredKey(): Promise<ClientSigner> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const signer = loadHostKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const data = `ssh-ed25519 ${Buffer.from(signer.blob).toString('base64')}`
  const body = {
    name: `key-${(names += 1)}`,
    username: '.*',
    data: Buffer.from(data).toString('base64'),
    filter: { hostname: '.*' },
  }
  await person.client.call(operations.publicKeys.create, { body })
  return signer
}

describe.each([1, 2] as const)('an existing agent by transport %d', (transport) => {
  it(`shows a pending device online by transport ${transport}, with the version of its agent`, async () => {
    const double = await startDouble(transport)
    await until(() => isOnline(double))
    expect(await look(double)).toMatchObject({ status: 'pending', info: { version: 'v0.19.0' } })
  })

  it(`runs commands by a password that it checks itself, by transport ${transport}`, async () => {
    const { double, login } = await accepted(transport)
    const { client, outcome } = await signIn(login('ann'), byRightPassword)
    expect(outcome).toEqual({ result: 'success' })
    const program = await exec(client, 'cat; echo err >&2; exit 3')
    program.channel.write(Buffer.from('in\n'))
    program.channel.eof()
    await program.ended
    expect([program.stdout.toString(), program.stderr.toString(), program.exits]).toEqual([
      'in\n',
      'err\n',
      [{ status: 3 }],
    ])
    const second = await exec(client, 'echo second')
    await second.ended
    // One to prove the key, and one for the person, whose channels share it.
    expect([double.streams, double.earlyBytes]).toEqual([2, 0])
  })

  it(`refuses a wrong password by transport ${transport} as any device does`, async () => {
    const { login } = await accepted(transport)
    const { client, outcome } = await signIn(login('ann'), { method: 'password', password: 'wrong' })
    expect(outcome).toMatchObject({ result: 'failure' })
    expect(await client.authenticate(login('ann'), byRightPassword)).toEqual({ result: 'success' })
  })

  it(`lets a registered key in by transport ${transport}, with one signature for the first token and name`, async () => {
    const signer = await registeredKey()
    const { double, login } = await accepted(transport, { innerPort: byKey.port })
    // It registers again, as agents do every ten minutes, and its device is renamed.
    await double.register()
    const name = `renamed-${transport}`
    await person.client.call(operations.devices.rename, { params: { uid: uidOf(double) }, body: { name } })
    const { client, outcome } = await signIn(login(byKey.user).replace(/old-\d+$/, name), {
      method: 'publickey',
      signer,
    })
    expect([outcome, double.signatures]).toEqual([{ result: 'success' }, [200]])
    const program = await exec(client, 'echo by key')
    await program.ended
    expect(program.stdout.toString()).toBe('by key\n')
  })

  it(`signs nothing for an agent of transport ${transport} that no login waits for`, async () => {
    const { double } = await accepted(transport)
    expect(
      await double.vouches('root', Buffer.from(loadHostKey(key.export({ format: 'pem', type: 'pkcs8' })).blob)),
    ).toBe(false)
    expect(double.signatures).toEqual([401])
  })

  it(`refuses a tunnel of transport ${transport} whose SSH server has another key than the registered one`, async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const double = await startDouble(transport, { privateKey })
    await setStatus(person, uidOf(double), 'accept')
    await until(() => double.tunnels > 1)
    expect(await isOnline(double)).toBe(false)
    const { namespace, name } = await look(double)
    const { outcome } = await signIn(`ann@${namespace}.${name}`, byRightPassword)
    expect(outcome).toMatchObject({ result: 'failure' })
  })

  it(`sends nothing by transport ${transport} to another server that has come behind a tunnel that stands`, async () => {
    const signer = await registeredKey()
    const { port, target } = await relayTo(byPassword.port)
    const { double, login } = await accepted(transport, { innerPort: port })
    const other = await impostor(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey)
    target.port = other.port
    const byWord = await signIn(login('ann'), byRightPassword)
    expect(byWord.outcome).toMatchObject({ result: 'failure' })
    await expect(signIn(login('ann'), { method: 'publickey', signer })).rejects.toThrow('disconnected')
    expect([other.credentials, double.signatures, double.streams]).toEqual([[], [], 3])
    target.port = byPassword.port
    expect((await signIn(login('ann'), byRightPassword)).outcome).toEqual({ result: 'success' })
  })

  it(`takes the first token of transport ${transport} after later registrations`, async () => {
    const { double, login } = await accepted(transport)
    await double.register()
    expect(new Set(double.registrations.map(({ token }) => token)).size).toBe(2)
    // The next tunnel comes with what is left: the first.
    double.registrations.pop()
    double.drop()
    await until(() => double.tunnels === 2)
    await until(() => isOnline(double))
    expect((await signIn(login('ann'), byRightPassword)).outcome).toEqual({ result: 'success' })
    expect(double.refusals).toEqual([])
  })

  it(`comes back by transport ${transport} with the same token when its tunnel is lost`, async () => {
    const { double, login } = await accepted(transport)
    double.drop()
    await until(() => double.tunnels === 2)
    await until(() => isOnline(double))
    expect((await signIn(login('ann'), byRightPassword)).outcome).toEqual({ result: 'success' })
    expect(double.registrations).toHaveLength(1)
  })

  it(`counts a device offline whose only tunnel of transport ${transport} is lost`, async () => {
    const { double } = await accepted(transport)
    double.faults.staysAway = true
    double.drop()
    await until(async () => !(await isOnline(double)))
    expect(double.isConnected).toBe(false)
  })

  it(`forwards connections that the device makes, by transport ${transport}`, async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    await once(echo, 'listening')
    onTestFinished(() => void echo.close())
    const { login } = await accepted(transport)
    const { client } = await signIn(login('ann'), byRightPassword)
    const { port } = echo.address() as AddressInfo
    const received: Buffer[] = []
    const done = Promise.withResolvers<void>()
    const channel = await client.openChannel(
      { type: 'direct-tcpip', host: '127.0.0.1', port, originHost: '127.0.0.1', originPort: 1 },
      (opened) => ({
        data(bytes) {
          received.push(Buffer.from(bytes))
          opened.consumed(bytes.length)
        },
        closed: () => done.resolve(),
      }),
    )
    channel.write(Buffer.alloc(600_000, 'x'))
    channel.eof()
    await done.promise
    expect(Buffer.concat(received).length).toBe(600_000)
  })

  it(`refuses what an agent of transport ${transport} cannot do`, async () => {
    const { login } = await accepted(transport)
    const { client } = await signIn(login('ann'), byRightPassword)
    expect(await client.listen({ type: 'tcpip-forward', address: '', port: 0 })).toBeUndefined()
    const socket = client.openChannel({ type: 'direct-streamlocal@openssh.com', path: '/x' }, () => ({
      data: () => undefined,
      closed: () => undefined,
    }))
    await expect(socket).rejects.toMatchObject({ description: expect.stringContaining('a ShellHub agent (v0.19.0)') })
  })

  it(`lets a newer tunnel of transport ${transport} take over`, async () => {
    const { double: first, login } = await accepted(transport)
    first.faults.staysAway = true
    const second = await startDouble(transport, { hostname: first.options.hostname })
    await until(() => !first.isConnected)
    const { outcome } = await signIn(login('ann'), byRightPassword)
    expect([outcome, second.streams]).toEqual([{ result: 'success' }, 2])
    expect(await isOnline(second)).toBe(true)
  })

  it(`closes the tunnel of transport ${transport} of a removed device, and takes no other`, async () => {
    const { double, login } = await accepted(transport)
    const { closed } = await signIn(login('ann'), byRightPassword)
    await person.client.call(operations.devices.remove, { params: { uid: uidOf(double) } })
    await closed
    await until(() => double.refusals.length > 0)
    expect(double.refusals[0]).toBe(401)
  })
})

it.each([
  ['v0.0.9', 'v0.0.9'],
  ['v999.0.0', VERSION],
])('answers an agent of %s with the version %s, never a greater one', async (asked, told) => {
  const answer = await server.fetch(`/info?agent_version=${asked}`)
  expect(await answer.json()).toMatchObject({ version: told })
})

describe('the loss of a tunnel during a session', () => {
  /** A session whose program answers lines. */
  async function running(transport: 1 | 2) {
    const { double, login } = await accepted(transport)
    const { client, closed } = await signIn(login('ann'), byRightPassword)
    const program = await exec(client, 'cat')
    const echoes = async (word: string) => {
      program.channel.write(Buffer.from(word))
      await until(() => program.stdout.toString().endsWith(word))
    }
    await echoes('before')
    return { double, login, client, closed, program, echoes }
  }

  it('leaves sessions of transport 1 alone, whose streams are connections of their own', async () => {
    const { double, client, echoes } = await running(1)
    double.drop()
    await until(() => double.tunnels === 2)
    await until(() => isOnline(double))
    await echoes('after')
    const more = await exec(client, 'echo more')
    await more.ended
    expect(more.stdout.toString()).toBe('more\n')
  })

  it('ends what goes on over a lost tunnel of transport 1 when the device is removed', async () => {
    const { double, closed } = await running(1)
    double.drop()
    await until(() => double.tunnels === 2)
    await until(() => isOnline(double))
    await person.client.call(operations.devices.remove, { params: { uid: uidOf(double) } })
    expect((await closed).by).toBe('peer')
  })

  it('ends sessions of transport 2 with a cause', async () => {
    const { double, closed } = await running(2)
    double.drop()
    expect(await closed).toMatchObject({ by: 'peer', reason: 'disconnect' })
    const { body } = await person.client.call(operations.sessions.list, { query: {} })
    expect(JSON.stringify(body)).toContain(double.uid)
  })
})

describe('an HTTP tunnel to an existing agent', () => {
  const tunnelTo = async ({ double }: { double: AgentDouble }, port: number) =>
    (await openTunnel(person, { device: { uid: uidOf(double) } }, port)).full_address

  it.each([1, 2] as const)('reaches a service of the device by transport %d', async (transport) => {
    const port = await httpService((incoming, answer) => answer.end(`${incoming.method} ${incoming.url}`))
    const host = await tunnelTo(await accepted(transport), port)
    expect((await ask(server, host, { path: '/a?b' })).text).toBe('GET /a?b')
  })

  it.each([1, 2] as const)(
    'tells of a service that is not there by transport %d, and leaves nothing open',
    async (transport) => {
      const agent = await accepted(transport)
      const host = await tunnelTo(agent, 1)
      expect((await ask(server, host, { path: '/' })).status).toBe(502)
      await until(() => agent.double.openStreams === 0)
    },
  )
})
