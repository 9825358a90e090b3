// Our client with real servers: OpenSSH of two ages, Dropbear and asyncssh.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type RealServer, type RealServerOptions, serverKinds } from '@bowline/testkit/ssh-servers'
import { ScratchFolder } from '@bowline/testkit/real-client'
import { describe, expect, it } from 'vitest'
import type { CloseCause, SshLimits } from '../../src/api.ts'
import { connectClient } from '../../src/client.ts'
import type { ClientHandler, ClientSigner, SshClientConnection } from '../../src/client-api.ts'
import { loadHostKey } from '../../src/keys/host-key.ts'
import { ClientProgram } from '../support/connect-client.ts'

interface Dialled extends AsyncDisposable {
  readonly client: SshClientConnection
  readonly closed: Promise<CloseCause>
}

interface DialOptions {
  readonly limits?: Partial<SshLimits>
  readonly handler?: Partial<ClientHandler>
  readonly hostKeyTypes?: readonly string[]
  readonly acceptsHostKey?: (blob: Uint8Array) => boolean
}

async function dial(server: RealServer, options: DialOptions = {}): Promise<Dialled> {
  const socket = connect({ host: '127.0.0.1', port: server.port, noDelay: true })
  await once(socket, 'connect')
  const { promise: closed, resolve } = Promise.withResolvers<CloseCause>()
  const { limits = {}, hostKeyTypes = [], acceptsHostKey = () => true, handler = {} } = options
  const settings = { software: 'Bowline_Test', limits, hostKeyTypes, acceptsHostKey }
  const peer = { address: '127.0.0.1', port: server.port }
  const client = connectClient(socket, peer, settings, { ...handler, closed: resolve })
  return {
    client,
    closed,
    async [Symbol.asyncDispose]() {
      client.disconnect({ by: 'local', reason: 'done', message: 'Done.' })
      await closed
    },
  }
}

/** A key pair: the file that servers read, and the signer. */
function newKey(scratch: ScratchFolder, type: 'ed25519' | 'rsa' | 'ecdsa'): { file: string; signer: ClientSigner } {
  const { privateKey } =
    type === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signer = loadHostKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const name = signer.algorithms.includes('rsa-sha2-512') ? 'ssh-rsa' : signer.algorithms[0]
  const file = scratch.file(`authorized-${type}.pub`)
  writeFileSync(file, `${name} ${Buffer.from(signer.blob).toString('base64')} test\n`)
  return { file, signer }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

for (const kind of serverKinds) {
  describe.skipIf(kind.missing() !== undefined)(`a client of ${kind.name}`, () => {
    async function signedIn(more: Partial<RealServerOptions> = {}, options: DialOptions = {}) {
      const stack = new AsyncDisposableStack()
      const scratch = stack.use(new ScratchFolder())
      const key = newKey(scratch, 'ed25519')
      const server = stack.use(await kind.start({ scratch, authorizedKey: key.file, ...more }))
      const dialled = stack.use(await dial(server, options))
      await dialled.client.ready.catch((error: unknown) => {
        throw new Error(server.output(), { cause: error })
      })
      const outcome = await dialled.client.authenticate(server.user, { method: 'publickey', signer: key.signer })
      expect({ ...outcome, log: server.output() }).toMatchObject({ result: 'success' })
      return { ...dialled, server, [Symbol.asyncDispose]: () => stack.disposeAsync() }
    }

    it.each(['ed25519', 'rsa', 'ecdsa'] as const)('signs in by a key of type %s', async (type) => {
      using scratch = new ScratchFolder()
      const key = newKey(scratch, type)
      await using server = await kind.start({ scratch, authorizedKey: key.file })
      await using dialled = await dial(server)
      const outcome = await dialled.client.authenticate(server.user, { method: 'publickey', signer: key.signer })
      expect({ ...outcome, log: server.output() }).toMatchObject({ result: 'success' })
    })

    it.each(['ed25519', 'rsa', 'ecdsa'] as const)('verifies a host key of type %s', async (type) => {
      await using joined = await signedIn({ hostKeys: [type] })
      const names = { ed25519: 'ssh-ed25519', rsa: 'ssh-rsa', ecdsa: 'ecdsa-sha2-nistp256' }
      const blob = Buffer.from(joined.client.hostKey ?? [])
      expect(blob.subarray(4, 4 + blob.readUInt32BE(0)).toString()).toBe(names[type])
    })

    it('asks for the key that it knows where the server has several', async () => {
      await using joined = await signedIn({ hostKeys: ['ed25519', 'rsa'] }, { hostKeyTypes: ['ssh-rsa'] })
      expect(Buffer.from(joined.client.hostKey ?? []).includes('ssh-rsa')).toBe(true)
    })

    it('names the methods that remain after a wrong key', async () => {
      using scratch = new ScratchFolder()
      const [right, wrong] = [newKey(scratch, 'ed25519'), newKey(scratch, 'ecdsa')]
      await using server = await kind.start({ scratch, authorizedKey: right.file })
      await using dialled = await dial(server)
      const outcome = await dialled.client.authenticate(server.user, { method: 'publickey', signer: wrong.signer })
      expect(outcome).toMatchObject({ result: 'failure', partial: false })
      const again = await dialled.client.authenticate(server.user, { method: 'publickey', signer: right.signer })
      expect(again).toEqual({ result: 'success' })
    })

    it('runs a command with both outputs and its exit status', async () => {
      await using joined = await signedIn()
      const program = await ClientProgram.exec(joined.client, 'echo out; echo err >&2; exit 7')
      await program.ended
      expect([program.stdout.toString(), program.stderr.toString(), program.exits]).toEqual([
        'out\n',
        'err\n',
        [{ status: 7 }],
      ])
    })

    it('sends 8 MiB and gets them back, through new keys', async () => {
      await using joined = await signedIn({}, { limits: { rekeyBytes: 3 << 20 } })
      const program = await ClientProgram.exec(joined.client, 'cat')
      const bytes = randomBytes(8 << 20)
      for (let at = 0; at < bytes.length; at += 65_536) program.channel.write(bytes.subarray(at, at + 65_536))
      program.channel.eof()
      await program.ended
      expect([program.stdout.length, program.exits]).toEqual([bytes.length, [{ status: 0 }]])
      expect(sha256(program.stdout)).toBe(sha256(bytes))
    })

    it('reaches a port of the device', async () => {
      const service = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
      await once(service, 'listening')
      const { port } = service.address() as AddressInfo
      await using joined = await signedIn()
      const open = { type: 'direct-tcpip', host: '127.0.0.1', port, originHost: '127.0.0.1', originPort: 1 } as const
      const chunks: Buffer[] = []
      const ended = Promise.withResolvers<void>()
      await joined.client.openChannel(open, (channel) => ({
        data(bytes) {
          chunks.push(Buffer.from(bytes))
          channel.consumed(bytes.length)
        },
        eof: () => channel.close(),
        closed: () => ended.resolve(),
      }))
      await ended.promise
      service.close()
      expect(Buffer.concat(chunks).toString()).toBe('hello')
    })

    it('reports a port that nobody listens on', async () => {
      await using joined = await signedIn()
      const open = { type: 'direct-tcpip', host: '127.0.0.1', port: 1, originHost: '127.0.0.1', originPort: 1 } as const
      const attach = () => ({ data: () => undefined, closed: () => undefined })
      await expect(joined.client.openChannel(open, attach)).rejects.toMatchObject({ name: 'ChannelRefused', code: 2 })
    })

    it('runs twenty commands at once on one connection', async () => {
      await using joined = await signedIn({ configuration: ['MaxSessions 30'] })
      const programs: ClientProgram[] = []
      // One after the other: Dropbear 2022 closes sessions that have no command yet when another one's ends.
      for (let index = 0; index < 20; index += 1) programs.push(await ClientProgram.exec(joined.client, 'cat'))
      for (const [index, { channel }] of programs.entries()) {
        channel.write(Buffer.from(`${index}`))
        channel.eof()
      }
      await Promise.all(programs.map(({ ended }) => ended))
      expect(programs.map(({ stdout }) => stdout.toString())).toEqual(programs.map((_, index) => `${index}`))
    })

    it('refuses a server with another key before a credential is sent', async () => {
      using scratch = new ScratchFolder()
      const key = newKey(scratch, 'ed25519')
      await using server = await kind.start({ scratch, authorizedKey: key.file })
      await using dialled = await dial(server, { acceptsHostKey: () => false })
      const attempt = dialled.client.authenticate(server.user, { method: 'password', password: 'secret' })
      await expect(attempt).rejects.toThrow('not the expected one')
      expect(await dialled.closed).toMatchObject({ by: 'local', reason: 'host-key-refused' })
    })
  })
}

describe('a client of asyncssh with other methods', () => {
  it('signs in by password and by the server’s questions', async () => {
    const kind = serverKinds.find(({ name }) => name === 'asyncssh')
    using scratch = new ScratchFolder()
    const key = newKey(scratch, 'ed25519')
    if (!kind) throw new Error('asyncssh is not among the servers')
    await using server = await kind.start({ scratch, authorizedKey: key.file })
    await using first = await dial(server)
    expect(await first.client.authenticate('ada', { method: 'password', password: 'wrong' })).toMatchObject({
      result: 'failure',
    })
    expect(await first.client.authenticate('ada', { method: 'password', password: 'right' })).toEqual({
      result: 'success',
    })
    await using second = await dial(server)
    const answer = async ({ prompts }: { prompts: readonly unknown[] }) => prompts.map(() => '42')
    expect(await second.client.authenticate('ada', { method: 'keyboard-interactive', answer })).toEqual({
      result: 'success',
    })
  })
})
