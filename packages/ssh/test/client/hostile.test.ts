// Servers that follow no protocol harm nobody but their own connection, and get no credential by it.
import { randomBytes } from 'node:crypto'
import { duplexPair } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { CloseCause } from '../../src/api.ts'
import { connectClient } from '../../src/client.ts'
import * as n from '../../src/wire/numbers.ts'
import { WireWriter } from '../../src/wire/writer.ts'
import { settle } from '../support/connect.ts'
import { ClientProgram } from '../support/connect-client.ts'
import { type Facing, faceRawServer } from '../support/raw-server.ts'

const message = (type: number): WireWriter => new WireWriter().byte(type)

/** What a client makes of raw bytes. @returns the cause of its end, or undefined while it waits */
async function causeOf(bytes: Uint8Array): Promise<CloseCause | undefined> {
  const [near, far] = duplexPair()
  let cause: CloseCause | undefined
  const handler = { closed: (ended: CloseCause) => (cause = ended) }
  connectClient(far, { address: '', port: 1 }, { software: 'Test', acceptsHostKey: () => true }, handler)
  near.on('error', () => undefined)
  near.on('end', () => near.end())
  near.resume()
  near.write(bytes)
  await settle()
  if (cause) return cause
  near.destroy()
  return undefined
}

describe('before the identification', () => {
  it.each([
    ['a line of another protocol version', 'SSH-1.5-old\r\n', 'bad-ident'],
    ['an identification of 300 bytes', `SSH-2.0-${'x'.repeat(300)}\r\n`, 'bad-ident'],
    ['control characters', 'SSH-2.0-a\u0007b\r\n', 'bad-ident'],
    ['a hundred lines', 'hello\r\n'.repeat(100), 'bad-ident'],
    ['a line without end', 'x'.repeat(20_000), 'bad-ident'],
  ])('%s ends the connection', async (_name, text, reason) => {
    expect(await causeOf(Buffer.from(text, 'latin1'))).toMatchObject({ by: 'protocol', reason })
  })

  it('other lines are ignored', async () => {
    const cause = await causeOf(Buffer.from('Welcome.\r\nTo the device.\nSSH-2.0-x\r\n'))
    expect(cause).toBeUndefined()
  })

  it('random bytes after it end the connection or wait for more', async () => {
    for (let round = 0; round < 300; round += 1) {
      const cause = await causeOf(Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), randomBytes(1 + (round % 200))]))
      expect(['protocol', undefined]).toContain(cause?.by)
    }
  })
})

describe('before a credential is accepted', () => {
  const attacks: readonly (readonly [name: string, payload: Uint8Array, reason: string])[] = [
    ['a success that nobody asked for', Uint8Array.of(n.MSG_USERAUTH_SUCCESS), 'unexpected-message'],
    [
      'a failure that nobody asked for',
      message(n.MSG_USERAUTH_FAILURE).string('').boolean(false).done(),
      'unexpected-message',
    ],
    ['questions that nobody asked for', message(n.MSG_USERAUTH_INFO_REQUEST).done(), 'unexpected-message'],
    ['the service once more', message(n.MSG_SERVICE_ACCEPT).string('ssh-userauth').done(), 'unexpected-message'],
    ['another service', message(n.MSG_SERVICE_ACCEPT).string('ssh-connection').done(), 'unexpected-message'],
    ['a channel', message(n.MSG_CHANNEL_OPEN).string('x11').uint32(0).uint32(9).uint32(9).done(), 'unexpected-message'],
    ['a global request', message(n.MSG_GLOBAL_REQUEST).string('x').boolean(true).done(), 'unexpected-message'],
  ]

  it.each(attacks)('%s ends the connection', async (_name, payload, reason) => {
    const facing = faceRawServer()
    await facing.client.ready
    facing.transport.send(payload)
    expect(await facing.closed).toMatchObject({ by: 'protocol', reason })
    expect(facing.heard).not.toContain(n.MSG_USERAUTH_REQUEST)
  })

  it('banners without end do', async () => {
    const facing = faceRawServer()
    await facing.client.ready
    const banner = message(n.MSG_USERAUTH_BANNER).string('x').string('').done()
    for (let count = 0; count < 40; count += 1) facing.transport.send(banner)
    expect(await facing.closed).toMatchObject({ by: 'limit' })
  })

  it.each([
    [
      'a million questions',
      message(n.MSG_USERAUTH_INFO_REQUEST).string('').string('').string('').uint32(1_000_000).done(),
    ],
    ['a question cut short', message(n.MSG_USERAUTH_INFO_REQUEST).string('').string('').string('').uint32(2).done()],
  ])('%s end the connection, and the credential', async (_name, payload) => {
    const facing = faceRawServer()
    const answer = (): Promise<string[]> => Promise.resolve([])
    const outcome = facing.client.authenticate('ada', { method: 'keyboard-interactive', answer })
    await facing.client.ready
    await settle()
    facing.transport.send(payload)
    await expect(outcome).rejects.toThrow(/questions|prompt/)
    expect((await facing.closed).by).toMatch(/limit|protocol/)
  })

  it('questions in reply to a key get no answer', async () => {
    const facing = faceRawServer()
    const signer = { algorithms: ['ssh-ed25519'], blob: Buffer.alloc(51), sign: () => Buffer.alloc(83) }
    const outcome = facing.client.authenticate('ada', { method: 'publickey', signer })
    await facing.client.ready
    await settle()
    const prompt = message(n.MSG_USERAUTH_INFO_REQUEST).string('').string('').string('')
    facing.transport.send(prompt.uint32(1).string('Password: ').boolean(false).done())
    await expect(outcome).rejects.toThrow('asks for what')
    expect(await facing.closed).toMatchObject({ by: 'protocol', reason: 'unexpected-message' })
  })

  it('a request for a new password fails the credential', async () => {
    const facing = faceRawServer()
    const outcome = facing.client.authenticate('ada', { method: 'password', password: 'old' })
    await facing.client.ready
    await settle()
    facing.transport.send(message(n.MSG_USERAUTH_PASSWD_CHANGEREQ).string('Change it.').string('').done())
    expect(await outcome).toMatchObject({ result: 'failure', passwordExpired: true })
  })

  it('silence leaves the client waiting for its own deadline only', async () => {
    const [near, far] = duplexPair()
    near.resume()
    near.on('end', () => near.end())
    const facing = faceRawServer()
    const { promise, resolve } = Promise.withResolvers<CloseCause>()
    const options = { software: 'Test', acceptsHostKey: () => true, clock: facing.clock }
    connectClient(far, { address: '', port: 1 }, options, { closed: resolve })
    facing.clock.advance(5_000)
    expect(await promise).toMatchObject({ by: 'timeout', reason: 'ident-timeout' })
  })
})

describe('after it', () => {
  async function withProgram(): Promise<{ facing: Facing; program: Promise<ClientProgram> }> {
    const facing = faceRawServer()
    await facing.signIn()
    const program = ClientProgram.open(facing.client)
    await settle()
    return { facing, program }
  }
  const confirm = (window = 1_000): Uint8Array =>
    message(n.MSG_CHANNEL_OPEN_CONFIRMATION).uint32(0).uint32(5).uint32(window).uint32(32_768).done()

  it.each([
    [
      'a confirmation of no channel',
      message(n.MSG_CHANNEL_OPEN_CONFIRMATION).uint32(9).uint32(0).uint32(1).uint32(32_768).done(),
    ],
    ['data of no channel', message(n.MSG_CHANNEL_DATA).uint32(9).string('x').done()],
    ['an answer to no request', message(n.MSG_CHANNEL_SUCCESS).uint32(0).done()],
    ['an answer to no global request', message(n.MSG_REQUEST_SUCCESS).done()],
    ['a window beyond its range', message(n.MSG_CHANNEL_WINDOW_ADJUST).uint32(0).uint32(0xffff_ffff).done()],
    ['an exit status cut short', message(n.MSG_CHANNEL_REQUEST).uint32(0).string('exit-status').boolean(false).done()],
  ])('%s ends the connection', async (_name, payload) => {
    const { facing, program } = await withProgram()
    facing.transport.send(confirm())
    await program
    facing.transport.send(payload)
    expect(await facing.closed).toMatchObject({ by: 'protocol' })
  })

  it('more data than the window holds ends the connection', async () => {
    const { facing, program } = await withProgram()
    facing.transport.send(confirm())
    const { channel } = await program
    // Nothing is consumed: the window stays closed.
    channel.consumed = () => undefined
    const data = message(n.MSG_CHANNEL_DATA).uint32(0).string(Buffer.alloc(32_000)).done()
    for (let count = 0; count < 40; count += 1) facing.transport.send(data)
    expect(await facing.closed).toMatchObject({ by: 'protocol', reason: 'window-overrun' })
  })

  it('a second exit is ignored, and requests of unknown kind are refused', async () => {
    const { facing, program } = await withProgram()
    facing.transport.send(confirm())
    const { exits } = await program
    const exit = (status: number): Uint8Array =>
      message(n.MSG_CHANNEL_REQUEST).uint32(0).string('exit-status').boolean(false).uint32(status).done()
    facing.transport.send(exit(3))
    facing.transport.send(exit(4))
    facing.transport.send(message(n.MSG_CHANNEL_REQUEST).uint32(0).string('keepalive@openssh.com').boolean(true).done())
    await settle()
    expect(exits).toEqual([{ status: 3 }])
    expect(facing.heard.at(-1)).toBe(n.MSG_CHANNEL_FAILURE)
  })

  it('channels of the server are refused by default, by the thousand', async () => {
    const facing = faceRawServer()
    await facing.signIn()
    const open = message(n.MSG_CHANNEL_OPEN).string('forwarded-tcpip').uint32(1).uint32(9).uint32(32_768)
    const fields = open.string('h').uint32(1).string('o').uint32(2).done()
    for (let count = 0; count < 1_000; count += 1) facing.transport.send(fields)
    for (let turn = 0; turn < 60; turn += 1) {
      facing.clock.advance(100)
      await settle()
    }
    expect(facing.heard.filter((type) => type === n.MSG_CHANNEL_OPEN_FAILURE)).toHaveLength(1_000)
  })

  it('mutated messages end one connection at most', async () => {
    for (let round = 0; round < 150; round += 1) {
      const { facing, program } = await withProgram()
      facing.transport.send(confirm())
      await program
      const payload = randomBytes(1 + (round % 64))
      payload[0] = 80 + (round % 21)
      facing.transport.send(payload)
      facing.client.disconnect({ by: 'local', reason: 'done', message: 'Done.' })
      expect(['protocol', 'limit', 'local', 'peer']).toContain((await facing.closed).by)
    }
  })
})
