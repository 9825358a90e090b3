// Our client with our server: credentials, channels, requests, and how connections end.
import { type KeyObject, generateKeyPairSync, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ChannelHandler, SshChannel } from '../../src/api.ts'
import { ChannelRefused, type PromptRound } from '../../src/client-api.ts'
import { loadHostKey } from '../../src/keys/host-key.ts'
import { beginAgreement } from '../../src/transport/client-key-agreement.ts'
import { agreeOnSecret } from '../../src/transport/key-agreement.ts'
import { WireWriter } from '../../src/wire/writer.ts'
import { settle } from '../support/connect.ts'
import { ClientProgram, join } from '../support/connect-client.ts'

const pem = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' })

async function signedIn(options: Parameters<typeof join>[0] = {}) {
  const joined = join(options)
  expect(await joined.client.authenticate('ada', { method: 'password', password: 'right' })).toEqual({
    result: 'success',
  })
  return joined
}

describe('key agreement', () => {
  it.each([
    'mlkem768x25519-sha256',
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'diffie-hellman-group14-sha256',
  ])('gives client and server the same secret by %s', (method) => {
    const client = beginAgreement(method)
    const { reply, secret } = agreeOnSecret(method, client.string)
    expect(Buffer.from(client.finish(reply))).toEqual(Buffer.from(secret))
  })

  it.each(['mlkem768x25519-sha256', 'curve25519-sha256', 'ecdh-sha2-nistp256', 'diffie-hellman-group14-sha256'])(
    'refuses a server’s string that is no key of %s',
    (method) => {
      const client = beginAgreement(method)
      const { reply } = agreeOnSecret(method, client.string)
      for (const bad of [Buffer.alloc(0), Buffer.alloc(reply.length), Buffer.alloc(2_000, 1)])
        expect(() => client.finish(bad)).toThrow(/key exchange string/)
    },
  )
})

describe('credentials of a client', () => {
  it('are answered with the methods that can continue', async () => {
    const { client } = join()
    const outcome = await client.authenticate('ada', { method: 'password', password: 'wrong' })
    expect(outcome).toEqual({
      result: 'failure',
      methods: ['publickey', 'password', 'keyboard-interactive'],
      partial: false,
    })
    expect(await client.authenticate('ada', { method: 'none' })).toMatchObject({ result: 'failure' })
    expect(await client.authenticate('ada', { method: 'password', password: 'right' })).toEqual({ result: 'success' })
  })

  it.each([
    ['Ed25519', () => generateKeyPairSync('ed25519').privateKey],
    ['ECDSA', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey],
  ])('prove an %s key by a signature over the session', async (_name, newKey) => {
    const { client, server } = join()
    const signer = loadHostKey(pem(newKey()))
    expect(await client.authenticate('ada', { method: 'publickey', signer })).toEqual({ result: 'success' })
    expect(server.factors.at(-1)?.key?.algorithm).toBe(signer.algorithms[0])
  })

  it('fail the method when the key cannot sign, and the next credential works', async () => {
    const { client } = join()
    const key = loadHostKey(pem(generateKeyPairSync('ed25519').privateKey))
    const signer = { ...key, sign: () => Promise.reject(new Error('no card')) }
    await expect(client.authenticate('ada', { method: 'publickey', signer })).rejects.toThrow('no card')
    expect(await client.authenticate('ada', { method: 'password', password: 'right' })).toEqual({ result: 'success' })
  })

  it('answer the server’s questions in rounds', async () => {
    const { client } = join({
      handler: {
        async authenticate(_connection, attempt) {
          if (attempt.method !== 'keyboard-interactive') return { result: 'reject' }
          const [code] = await attempt.prompt('Token', 'Look at your card.', [{ text: 'Code: ', echo: true }])
          const [pin] = await attempt.prompt('', '', [{ text: 'PIN: ', echo: false }])
          return { result: code === '42' && pin === '7' ? 'accept' : 'reject' }
        },
      },
    })
    const rounds: PromptRound[] = []
    const answer = async (round: PromptRound) => {
      rounds.push(round)
      return round.prompts.map(({ text }) => (text === 'Code: ' ? '42' : '7'))
    }
    expect(await client.authenticate('ada', { method: 'keyboard-interactive', answer })).toEqual({ result: 'success' })
    expect(rounds.slice(0, 2)).toEqual([
      { name: 'Token', instruction: 'Look at your card.', prompts: [{ text: 'Code: ', echo: true }] },
      { name: '', instruction: '', prompts: [{ text: 'PIN: ', echo: false }] },
    ])
  })

  it('report a first factor as partial', async () => {
    const { client } = join({
      handler: {
        authenticate: async (_connection, attempt) =>
          attempt.method === 'password' ? { result: 'partial', methods: ['publickey'] } : { result: 'accept' },
      },
    })
    expect(await client.authenticate('ada', { method: 'password', password: 'right' })).toEqual({
      result: 'failure',
      methods: ['publickey'],
      partial: true,
    })
  })

  it('are refused while another one is under way', async () => {
    const { client } = join()
    const first = client.authenticate('ada', { method: 'password', password: 'right' })
    const second = client.authenticate('ada', { method: 'password', password: 'right' })
    await expect(second).rejects.toThrow('another credential is under way')
    expect(await first).toEqual({ result: 'success' })
  })

  it('are never sent to a host key that is refused', async () => {
    let attempts = 0
    const joined = join({
      client: { acceptsHostKey: () => false },
      handler: {
        authenticate: async () => {
          attempts += 1
          return { result: 'accept' }
        },
      },
    })
    await expect(joined.client.authenticate('ada', { method: 'password', password: 'secret' })).rejects.toThrow(
      'not the expected one',
    )
    expect(await joined.closed).toMatchObject({ by: 'local', reason: 'host-key-refused' })
    await joined.serverClosed
    expect(attempts).toBe(0)
  })

  it('pass a banner on', async () => {
    const banners: string[] = []
    const { client } = join({
      handler: { banner: () => 'Authorized use only.\n' },
      clientHandler: { banner: (text) => banners.push(text) },
    })
    await client.authenticate('ada', { method: 'password', password: 'right' })
    expect(banners).toEqual(['Authorized use only.\n'])
  })
})

describe('channels of a client', () => {
  it('run a command with input, both outputs and an exit status', async () => {
    const { client, sessions } = await signedIn()
    const program = await ClientProgram.exec(client, 'cat')
    const [session] = sessions
    expect(session?.requests).toMatchObject([{ type: 'exec' }])
    program.channel.write(Buffer.from('typed'))
    program.channel.eof()
    await settle()
    expect(session?.received.toString()).toBe('typed')
    session?.channel.write(Buffer.from('out'))
    session?.channel.write(Buffer.from('err'), 1)
    session?.channel.exitStatus(7)
    session?.channel.close()
    await program.ended
    expect([program.stdout.toString(), program.stderr.toString(), program.exits]).toEqual([
      'out',
      'err',
      [{ status: 7 }],
    ])
  })

  it('tell of a program that a signal ended, once', async () => {
    const { client, sessions } = await signedIn()
    const program = await ClientProgram.exec(client, 'sleep 100')
    expect(await program.channel.request({ type: 'signal', name: 'TERM' })).toBe(true)
    sessions[0]?.channel.exitSignal('TERM', false, 'terminated')
    sessions[0]?.channel.close()
    await program.ended
    expect(program.exits).toEqual([{ signal: 'TERM', coreDumped: false, message: 'terminated' }])
  })

  it('send every request of a session as it was asked for', async () => {
    const { client, sessions } = await signedIn()
    const program = await ClientProgram.open(client)
    const size = { columns: 120, rows: 40, width: 0, height: 0 }
    const requests = [
      { type: 'pty-req', term: 'xterm', ...size, modes: Uint8Array.of(0) },
      { type: 'env', name: 'LANG', value: 'C.UTF-8' },
      { type: 'x11-req', single: false, protocol: 'MIT-MAGIC-COOKIE-1', cookie: 'aa', screen: 0 },
      { type: 'auth-agent-req@openssh.com' },
      { type: 'subsystem', name: 'sftp' },
      { type: 'window-change', ...size, columns: 80 },
      { type: 'break', lengthMs: 500 },
    ] as const
    for (const request of requests) await program.channel.request(request)
    expect(sessions[0]?.requests).toEqual(requests)
  })

  it('report requests that the server refuses', async () => {
    const { client } = await signedIn({
      handler: {
        open: () => ({ accept: true, attach: () => ({ data: () => undefined, closed: () => undefined }) }),
      },
    })
    const program = await ClientProgram.open(client)
    expect(await program.channel.request({ type: 'shell' })).toBe(false)
  })

  it('are refused with the server’s reason', async () => {
    const { client } = await signedIn()
    const open = { type: 'direct-tcpip', host: 'h', port: 1, originHost: '127.0.0.1', originPort: 2 } as const
    const refused = client.openChannel(open, () => ({ data: () => undefined, closed: () => undefined }))
    await expect(refused).rejects.toThrow(ChannelRefused)
    await expect(refused).rejects.toMatchObject({ code: 1, description: 'not here' })
  })

  it('pass the fields of ports and sockets', async () => {
    const asked: unknown[] = []
    const { client } = await signedIn({
      handler: {
        open: (_connection, request) => {
          asked.push(request)
          return { accept: true, attach: () => ({ data: () => undefined, closed: () => undefined }) }
        },
      },
    })
    const attach = () => ({ data: () => undefined, closed: () => undefined })
    const port = { type: 'direct-tcpip', host: '::1', port: 80, originHost: '10.0.0.1', originPort: 5 } as const
    const socket = { type: 'direct-streamlocal@openssh.com', path: '/run/x.sock' } as const
    await client.openChannel(port, attach)
    await client.openChannel(socket, attach)
    expect(asked).toEqual([port, socket])
  })

  it('carry 20 MiB each way byte for byte through several key exchanges', async () => {
    const echo = (channel: SshChannel): ChannelHandler => ({
      data(bytes) {
        const copy = Buffer.from(bytes)
        channel.write(copy)
        channel.consumed(bytes.length)
      },
      eof: () => channel.close(),
      closed: () => undefined,
      request: () => true,
    })
    const { client } = await signedIn({
      handler: { open: () => ({ accept: true, attach: echo }) },
      client: { limits: { rekeyBytes: 3 << 20 } },
      server: { limits: { rekeyBytes: 4 << 20, queueMaxBytes: 64 << 20 } },
    })
    const program = await ClientProgram.open(client)
    const sent = randomBytes(20 << 20)
    for (let at = 0; at < sent.length; at += 65_536) {
      if (!program.channel.write(sent.subarray(at, at + 65_536))) await settle()
    }
    program.channel.eof()
    await program.ended
    expect(program.stdout.equals(sent)).toBe(true)
  })

  it('are opened by the server only where the handler allows it', async () => {
    const fields = new WireWriter().string('127.0.0.1').uint32(80).string('10.1.1.1').uint32(99).done()
    const attach = () => ({ data: () => undefined, closed: () => undefined })
    const closed = await signedIn()
    await expect(closed.server.openChannel('forwarded-tcpip', fields, attach)).rejects.toThrow('refused the channel')
    const asked: unknown[] = []
    const open = await signedIn({
      clientHandler: {
        open: (request) => {
          asked.push(request)
          return { accept: true, attach }
        },
      },
    })
    await open.server.openChannel('forwarded-tcpip', fields, attach)
    expect(asked).toEqual([
      { type: 'forwarded-tcpip', host: '127.0.0.1', port: 80, originHost: '10.1.1.1', originPort: 99 },
    ])
  })

  it('reject requests that wait when the channel closes', async () => {
    const { client } = await signedIn({
      handler: {
        open: () => ({
          accept: true,
          attach: (channel) => ({
            data: () => undefined,
            closed: () => undefined,
            request: () => {
              channel.close()
              return new Promise(() => undefined)
            },
          }),
        }),
      },
    })
    const program = await ClientProgram.open(client)
    await expect(program.channel.request({ type: 'shell' })).rejects.toThrow('the channel has closed')
  })
})

describe('a client’s connection', () => {
  it('asks the server to listen, and to stop', async () => {
    const { client } = await signedIn({
      handler: {
        listen: async (_connection, { port }) => (port === 0 ? 4_711 : undefined),
        unlisten: async () => true,
      },
    })
    const request = { type: 'tcpip-forward', address: 'localhost', port: 0 } as const
    expect(await client.listen(request)).toBe(4_711)
    expect(await client.listen({ ...request, port: 22 })).toBeUndefined()
    expect(await client.unlisten({ ...request, port: 4_711 })).toBe(true)
  })

  it('ends with the server’s cause, and rejects what waits', async () => {
    const { client, server, closed } = await signedIn()
    const never = client.openChannel({ type: 'session' }, () => {
      throw new Error('not attached')
    })
    server.disconnect({ by: 'local', reason: 'gone', message: 'Bye.' })
    expect(await closed).toMatchObject({ by: 'peer', reason: 'disconnect' })
    await never.catch(() => undefined)
    await expect(client.openChannel({ type: 'session' }, () => ({}) as ChannelHandler)).rejects.toThrow(/ended/)
  })

  it('notices a server that falls silent', async () => {
    const { clock, closed, clientSocket } = await signedIn({ client: { limits: { keepaliveMs: 1_000 } } })
    clientSocket.removeAllListeners('data')
    for (let turn = 0; turn < 4; turn += 1) clock.advance(1_000)
    expect(await closed).toMatchObject({ by: 'timeout', reason: 'keepalive' })
  })

  it('says nothing before the server’s identification, where it must not', async () => {
    const { server, client } = join({ client: { speaksFirst: false } })
    await client.ready
    expect(server.clientIdent).toBe('SSH-2.0-Test')
    expect(client.serverIdent).toBe('SSH-2.0-OpenSSH_9.9 Test')
  })

  it('disconnects after what is queued', async () => {
    const { client, sessions, serverClosed } = await signedIn()
    const program = await ClientProgram.exec(client, 'cat')
    program.channel.write(Buffer.from('last'))
    client.disconnect({ by: 'local', reason: 'done', message: 'Done.' })
    expect(await serverClosed).toMatchObject({ by: 'peer', reason: 'disconnect' })
    expect(sessions[0]?.received.toString()).toBe('last')
  })
})
