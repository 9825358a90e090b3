// The device's side of a device without an agent of ours, spoken to as the gateway does: real SSH servers serve it.
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { duplexPair } from 'node:stream'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type { Link } from '@bowline/link/api'
import type { ListenOpen } from '@bowline/link/stream-messages'
import { RecordedStream } from '@bowline/link/testing/pair'
import { acceptConnection } from '@bowline/ssh/server'
import type { AuthAttempt } from '@bowline/ssh/api'
import type { ClientSigner } from '@bowline/ssh/client-api'
import { loadHostKey } from '@bowline/ssh/keys/host-key'
import { ScratchFolder } from '@bowline/testkit/real-client'
import { type RealServer, serverKinds } from '@bowline/testkit/ssh-servers'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type OpenedStream, answer, bridgeTo, dialPort, hostKeyOf, signIn, startSession } from './testing.ts'

function newKey(): { pem: string; signer: ClientSigner; line: string } {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
  const signer = loadHostKey(pem)
  return { pem, signer, line: `ssh-ed25519 ${Buffer.from(signer.blob).toString('base64')} test\n` }
}

for (const kind of serverKinds) {
  describe.skipIf(kind.missing() !== undefined)(`a device whose SSH server is ${kind.name}`, () => {
    const scratch = new ScratchFolder()
    const key = newKey()
    let server: RealServer
    let hostKey: Uint8Array
    beforeAll(async () => {
      const file = scratch.file('authorized.pub')
      writeFileSync(file, key.line)
      server = await kind.start({ scratch, authorizedKey: file })
      hostKey = await hostKeyOf(server.port)
    })
    afterAll(async () => {
      await server[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    })

    const open = (more: Parameters<typeof bridgeTo>[1] = {}) =>
      bridgeTo(
        {
          openSsh: () => dialPort(server.port),
          hostKey: () => Promise.resolve(hostKey),
          keyLogin: () => Promise.resolve({ signer: key.signer, end: () => undefined }),
        },
        more,
      )

    describe('sessions', () => {
      it(`delivers both outputs and the status of a command from ${kind.name}`, async () => {
        const link = open()
        const login = await signIn(link, server.user)
        expect(login.messages).toEqual([{ type: 'accepted' }])
        const program = startSession(link, login, 'cat; echo err >&2; exit 7')
        program.stream.write(Buffer.from('early input\n'))
        program.stream.eof()
        await program.whenClosed()
        expect([program.text(), program.text(1), program.messages]).toEqual([
          'early input\n',
          'err\n',
          [{ type: 'started' }, { type: 'exit', status: 7 }],
        ])
      })

      it(`serves several channels by one connection to ${kind.name}`, async () => {
        let opened = 0
        const link = bridgeTo({
          openSsh: () => {
            opened += 1
            return dialPort(server.port)
          },
          hostKey: () => Promise.resolve(hostKey),
          keyLogin: () => Promise.resolve({ signer: key.signer, end: () => undefined }),
        })
        const login = await signIn(link, server.user)
        const programs = ['one', 'two', 'three'].map((word) => startSession(link, login, `echo ${word}`))
        await Promise.all(programs.map((program) => program.whenClosed()))
        expect([opened, programs.map((program) => program.text())]).toEqual([1, ['one\n', 'two\n', 'three\n']])
      })

      it(`stops a program of ${kind.name} whose output nobody takes, and goes on when somebody does`, async () => {
        const link = open()
        const login = await signIn(link, server.user)
        const program = startSession(link, login, 'head -c 20000000 /dev/zero', {}, { consume: false })
        await until(() => program.bytes().length >= 262_144)
        expect(program.bytes().length).toBeLessThan(2_000_000)
        program.consumes = true
        program.stream.consumed(program.bytes().length)
        await program.whenClosed()
        expect(program.bytes().length).toBe(20_000_000)
      })

      it(`ends a program of ${kind.name} whose output nobody wants any more`, async () => {
        const link = open()
        const login = await signIn(link, server.user)
        const program = startSession(link, login, `echo begun; yes; echo "$?"`)
        await until(() => program.text().startsWith('begun\ny\n'))
        program.stream.control({ type: 'eow' })
        await program.whenClosed()
        expect(program.messages).toEqual([
          { type: 'started' },
          expect.objectContaining({ type: expect.stringMatching(/^exit/) }),
        ])
        const after = startSession(link, login, 'echo after')
        await after.whenClosed()
        expect(after.text()).toBe('after\n')
      })

      it(`makes connections from the device through ${kind.name}`, async () => {
        const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
        await once(echo, 'listening')
        const { port } = echo.address() as AddressInfo
        const link = open()
        const login = await signIn(link, server.user)
        const dial = (to: number) =>
          RecordedStream.open(link, 'dial', { login: login.stream.id, target: { host: '127.0.0.1', port: to } })
        const connection = dial(port)
        await until(() => connection.messages.length > 0)
        connection.stream.write(Buffer.alloc(300_000, 'x'))
        connection.stream.eof()
        await connection.whenClosed()
        expect([connection.messages, connection.bytes().length]).toEqual([[{ type: 'connected' }], 300_000])
        echo.close()
        expect((await dial(1).whenClosed()).reason).toBe('connect-failed')
      })

      it(`ends the programs of ${kind.name} with the login`, async () => {
        const link = open()
        const login = await signIn(link, server.user)
        const program = startSession(link, login, 'sleep 1000')
        await until(() => program.messages.length > 0)
        login.stream.close()
        expect((await program.whenClosed()).reason).toBe('done')
      })
    })

    it(`sends no credential to ${kind.name} when its host key is not the enrolled one`, async () => {
      let asked = 0
      const link = bridgeTo({
        openSsh: () => dialPort(server.port),
        hostKey: () => Promise.resolve(newKey().signer.blob),
        keyLogin: () => {
          asked += 1
          return Promise.resolve(undefined)
        },
      })
      const login = await signIn(link, server.user)
      expect([await login.whenClosed(), asked]).toMatchObject([{ reason: 'host-key' }, 0])
    })
  })
}

describe.skipIf(serverKinds[0]?.missing() !== undefined)('terminals and files by OpenSSH', () => {
  const scratch = new ScratchFolder()
  const key = newKey()
  let server: RealServer
  beforeAll(async () => {
    const file = scratch.file('authorized.pub')
    writeFileSync(file, key.line)
    const configuration = ['AcceptEnv LANG LC_*']
    const started = await serverKinds[0]?.start({ scratch, authorizedKey: file, configuration })
    if (started) server = started
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    scratch[Symbol.dispose]()
  })
  const open = async (more: Parameters<typeof bridgeTo>[1] = {}) =>
    bridgeTo(
      {
        openSsh: () => dialPort(server.port),
        hostKey: () => hostKeyOf(server.port),
        keyLogin: () => Promise.resolve({ signer: key.signer, end: () => undefined }),
      },
      more,
    )

  it('gives a terminal its size, its changes, and the variables of the person', async () => {
    const link = await open()
    const login = await signIn(link, server.user)
    const pty = { term: 'vt100', columns: 91, rows: 17, width: 0, height: 0, modes: '' }
    const program = startSession(
      link,
      login,
      'trap "stty size; exit 4" WINCH; echo $TERM $LC_TEST; stty size; while :; do sleep 0.05; done',
      { pty, env: [['LC_TEST', 'yes']] },
    )
    await until(() => program.text().includes('17 91'))
    program.stream.control({ type: 'window-change', columns: 40, rows: 20, width: 0, height: 0 })
    await program.whenClosed()
    expect(program.text()).toContain('vt100 yes')
    expect(program.text()).toContain('20 40')
    expect(program.messages.at(-1)).toEqual({ type: 'exit', status: 4 })
  })

  it('serves files by the subsystem of the server', async () => {
    const link = await open()
    const login = await signIn(link, server.user)
    const files = startSession(link, login, { type: 'subsystem', name: 'sftp' })
    files.stream.write(Buffer.from('000000050100000003', 'hex'))
    await until(() => files.bytes().length > 8)
    expect(files.bytes().subarray(4, 9).toString('hex')).toBe('0200000003')
    files.stream.eof()
    await files.whenClosed()
    expect(files.messages.at(-1)).toEqual({ type: 'exit', status: 0 })
  })

  it('says why nothing was started', async () => {
    const link = await open()
    const login = await signIn(link, server.user)
    const other = startSession(link, login, { type: 'subsystem', name: 'netconf' })
    expect(await other.whenClosed()).toMatchObject({ reason: 'refused', message: 'The device started nothing.' })
  })

  it('carries the authentication agent of the person', async () => {
    const heard: string[] = []
    const link = await open({
      accept: (kind, header) => {
        heard.push(`${kind} ${String(header['listen'])}`)
        return new RecordedStream()
      },
    })
    const login = await signIn(link, server.user)
    const agent = RecordedStream.open(link, 'listen', { login: login.stream.id, at: { type: 'agent' } })
    await until(() => agent.messages.length > 0)
    startSession(link, login, 'ssh-add -l', { agent: agent.stream.id })
    await until(() => heard.length > 0)
    expect(heard[0]).toBe(`accept ${agent.stream.id}`)
  })

  const listening = async (link: Link, login: OpenedStream, at: ListenOpen['at']): Promise<OpenedStream> => {
    const listen = RecordedStream.open(link, 'listen', { login: login.stream.id, at })
    await until(() => listen.messages.length > 0 || listen.cause !== undefined)
    return listen
  }

  it.each(['tcp', 'unix'] as const)('has the server listen for people (%s), as long as they want', async (type) => {
    const accepted: RecordedStream[] = []
    const link = await open({ accept: RecordedStream.accept(accepted) })
    const login = await signIn(link, server.user)
    const path = scratch.file('listener.sock')
    const listen = await listening(link, login, type === 'tcp' ? { type, port: 0 } : { type, path })
    const port = Number(listen.messages[0]?.['port'])
    const connecting = () => connect(type === 'tcp' ? { host: '127.0.0.1', port } : { path })
    const socket = connecting().on('error', () => undefined)
    socket.write('in')
    await until(() => accepted.length === 1)
    const [stream] = accepted
    expect([stream?.kind, stream?.header?.['listen']]).toEqual(['accept', listen.stream.id])
    stream?.stream?.control({ type: 'connected' })
    await until(() => stream?.text() === 'in')
    stream?.stream?.write(Buffer.from('out'))
    stream?.stream?.eof()
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    expect(bytes.toString()).toBe('out')
    socket.end()
    await stream?.whenClosed()
    listen.stream.close()
    await until(async () => {
      const late = connecting()
      const [event] = await Promise.race([once(late, 'close'), once(late, 'connect').then(() => ['connected'])]).catch(
        () => ['refused'],
      )
      late.destroy()
      return event === 'refused'
    })
    expect(accepted).toHaveLength(1)
  })

  it('connects to unix sockets of the device', async () => {
    const path = scratch.file('echo.sock')
    const echo = createServer((socket) => void socket.pipe(socket)).listen(path)
    onTestFinished(() => void echo.close())
    const link = await open()
    const login = await signIn(link, server.user)
    const dial = RecordedStream.open(link, 'dial', { login: login.stream.id, target: { path } })
    await until(() => dial.messages.length > 0)
    dial.stream.write(Buffer.from('there and back'))
    dial.stream.eof()
    await dial.whenClosed()
    expect(dial.text()).toBe('there and back')
    const nowhere = RecordedStream.open(link, 'dial', { login: login.stream.id, target: { path: `${path}.no` } })
    expect(await nowhere.whenClosed()).toMatchObject({ by: 'agent', reason: 'connect-failed' })
  })

  it('refuses what the server of the device does not do, and says what serves it', async () => {
    const link = await open()
    const login = await signIn(link, server.user)
    const taken = createServer().listen(0, '::')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const at: ListenOpen['at'][] = [
      { type: 'tcp', port: (taken.address() as AddressInfo).port },
      { type: 'unix', path: scratch.file('authorized.pub') },
      { type: 'x11', single: false, protocol: '', cookie: '', screen: 0 },
    ]
    for (const one of at) {
      const listen = await listening(link, login, one)
      expect(listen.cause?.message).toMatch(
        /served by a program of the test, which (?:does not listen|forwards no displays)/,
      )
    }
  })
})

describe('credentials', () => {
  interface Answers {
    readonly attempts: AuthAttempt[]
    readonly door: Parameters<typeof bridgeTo>[0]
  }

  /** A server of ours at the other end, which records what it is sent. */
  function recording(
    judge: (attempt: AuthAttempt) => 'accept' | 'reject' | 'disconnect',
    methods = ['password'],
  ): Answers {
    const attempts: AuthAttempt[] = []
    const { pem, signer } = newKey()
    const openSsh = () => {
      const [near, far] = duplexPair()
      const options = { hostKeys: [pem], software: 'Test', methods: methods as ['password'] }
      acceptConnection(far, { address: '192.0.2.1', port: 1 }, options, {
        authenticate: async (_, attempt) => {
          attempts.push(attempt)
          const result = judge(attempt)
          return result === 'disconnect' ? { result, message: 'go away' } : { result }
        },
        // Ends with the signal that it is sent, or without a status at the end of its input.
        open: () => ({
          accept: true,
          attach: (channel) => ({
            data: () => undefined,
            request(request) {
              if (request.type === 'exec' && Buffer.from(request.command).toString() === 'quick') {
                // All of it arrives at once.
                queueMicrotask(() => {
                  channel.write(Buffer.from('done\n'))
                  channel.exitStatus(3)
                  channel.close()
                })
              }
              if (request.type === 'signal') {
                channel.exitSignal(request.name, true, 'ouch')
                channel.close()
              }
              return true
            },
            eof: () => channel.close(),
            closed: () => undefined,
          }),
        }),
        closed: () => undefined,
      })
      return Promise.resolve(near)
    }
    return { attempts, door: { openSsh, hostKey: () => Promise.resolve(signer.blob) } }
  }

  const isRight = (attempt: AuthAttempt) =>
    attempt.method === 'password' && attempt.password === 'right' ? 'accept' : 'reject'

  it('passes passwords on as they were typed, one after the other', async () => {
    const { attempts, door } = recording(isRight)
    const login = await signIn(bridgeTo(door), 'ann', { method: 'password', password: 'wrong' })
    await answer(login, { method: 'password', password: 'right' })
    expect(login.messages).toEqual([{ type: 'denied', reason: 'credential' }, { type: 'accepted' }])
    expect(attempts.map((attempt) => attempt.user)).toEqual(['ann', 'ann'])
  })

  it('asks for the password of a server that asks no questions', async () => {
    const { door } = recording(isRight)
    const login = await signIn(bridgeTo(door), 'ann', { method: 'keyboard-interactive' })
    expect(login.messages.at(-1)).toMatchObject({ type: 'prompt', prompts: [{ text: 'Password: ', echo: false }] })
    await answer(login, { answers: ['right'] })
    expect(login.messages.at(-1)).toEqual({ type: 'accepted' })
  })

  it('takes a fresh connection after one that the server has ended', async () => {
    let count = 0
    const { door } = recording((attempt) => {
      count += 1
      return count === 1 ? 'disconnect' : isRight(attempt)
    })
    const link = bridgeTo(door)
    const login = await signIn(link, 'ann', { method: 'password', password: 'wrong' })
    expect(login.messages).toEqual([{ type: 'denied', reason: 'credential' }])
    await answer(login, { method: 'password', password: 'right' })
    expect(login.messages.at(-1)).toEqual({ type: 'accepted' })
  })

  it.each([
    ['between two attempts', 2],
    ['while the first is under way', 1],
  ])('sends no password to the server of a key that was replaced %s', async (_, sent) => {
    const { attempts, door } = recording(isRight)
    const accepted = [await door.hostKey?.(), newKey().signer.blob]
    let reads = 0
    // The first is for the connection itself.
    const hostKey = () => Promise.resolve(accepted[(reads += 1) > sent ? 1 : 0] ?? new Uint8Array(0))
    const login = await signIn(bridgeTo({ ...door, hostKey }), 'ann', { method: 'password', password: 'wrong' })
    if (sent > 1) await answer(login, { method: 'password', password: 'right' })
    expect((await login.whenClosed()).reason).toBe('host-key-changed')
    expect(attempts).toHaveLength(sent - 1)
  })

  it('says that a device takes no registered keys', async () => {
    const { door } = recording(isRight)
    const login = await signIn(bridgeTo(door), 'ann')
    expect(login.messages).toMatchObject([{ type: 'denied', reason: 'unsupported' }])
  })

  it('opens nothing before a credential was accepted', async () => {
    const { door } = recording(isRight)
    const link = bridgeTo(door)
    const login = await signIn(link, 'ann', { method: 'password', password: 'wrong' })
    const program = startSession(link, login, 'true')
    expect((await program.whenClosed()).message).toBe('The request is malformed.')
  })

  it('gives up a server that does not speak within its time', async () => {
    const clock = new ManualClock()
    const [near] = duplexPair()
    const link = bridgeTo({ openSsh: () => Promise.resolve(near) }, { clock })
    const login = RecordedStream.open(link, 'auth', { session: 'e'.repeat(64), user: 'ann', remote: '' })
    login.stream.control({ method: 'password', password: 'right' })
    await until(() => clock.pending > 0)
    await clock.advanceAsync(30_000)
    expect((await login.whenClosed()).reason).toMatch(/timeout/)
  })

  it('delivers signals, and the signal by which a program has ended', async () => {
    const { door } = recording(isRight)
    const link = bridgeTo(door)
    const login = await signIn(link, 'ann', { method: 'password', password: 'right' })
    const program = startSession(link, login, 'sleep')
    program.stream.control({ type: 'signal', name: 'USR1' })
    await program.whenClosed()
    expect(program.messages.at(-1)).toEqual({ type: 'exit-signal', signal: 'USR1', coreDumped: true, message: 'ouch' })
  })

  it('reports a program that has ended by the time that its start is known', async () => {
    const { door } = recording(isRight)
    const link = bridgeTo(door)
    const login = await signIn(link, 'ann', { method: 'password', password: 'right' })
    const program = startSession(link, login, 'quick')
    await program.whenClosed()
    expect([program.messages, program.text()]).toEqual([[{ type: 'started' }, { type: 'exit', status: 3 }], 'done\n'])
  })

  it('takes a channel of sftp that closes without a status for a success', async () => {
    const { door } = recording(isRight)
    const link = bridgeTo(door)
    const login = await signIn(link, 'ann', { method: 'password', password: 'right' })
    const files = startSession(link, login, { type: 'subsystem', name: 'sftp' })
    files.stream.eof()
    await files.whenClosed()
    expect(files.messages).toEqual([{ type: 'started' }, { type: 'exit', status: 0 }])
    const command = startSession(link, login, 'true')
    command.stream.eof()
    expect((await command.whenClosed()).message).toBe('The program ended without a status.')
  })

  it('sends not a byte before the server has spoken', async () => {
    const [near, far] = duplexPair()
    const early: Buffer[] = []
    far.on('data', (bytes: Buffer) => early.push(bytes))
    const link = bridgeTo({ openSsh: () => Promise.resolve(near) })
    const login = RecordedStream.open(link, 'auth', { session: 'e'.repeat(64), user: 'ann', remote: '' })
    login.stream.control({ method: 'password', password: 'right' })
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect(early).toEqual([])
    far.write('SSH-2.0-Test\r\n')
    await until(() => early.length > 0)
    expect(Buffer.concat(early).toString('latin1')).toMatch(/^SSH-2\.0-Bowline/)
  })

  it('reports a device that opens nothing', async () => {
    const link = bridgeTo({ openSsh: () => Promise.reject(new Error('no pick-up')) })
    const login = await signIn(link, 'ann', { method: 'password', password: 'x' })
    expect(await login.whenClosed()).toMatchObject({
      reason: 'not-opened',
      message: expect.stringContaining('no pick-up'),
    })
  })
})
