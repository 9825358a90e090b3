// Seeded mutation fuzzing of the whole server: damaged bytes before keys exist, damaged messages before and after
// sign-in. A run with the same seed sends the same bytes.
import type { CloseCause } from '../../src/api.ts'
import * as n from '../../src/wire/numbers.ts'
import { WireWriter } from '../../src/wire/writer.ts'
import { encodeKexInit } from '../../src/transport/kexinit.ts'
import { CLIENT_KEXINIT } from './client-exchange.ts'
import { connect, settle } from './connect.ts'
import type { Connected } from './connect.ts'
import { ed25519Key } from './user-key.ts'

/** A seeded pseudo-random number generator (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** 0 to `below` - 1. */
  roll(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.roll(from.length)]
    if (picked === undefined) throw new RangeError('nothing to pick from')
    return picked
  }
}

const EDGES = [0, 1, 0x7f, 0x80, 0xff]

/** Applies one to four mutations: a changed byte, an extreme length, a cut, an insertion or a repetition. */
export function damage(dice: Dice, original: Uint8Array): Buffer {
  let bytes = Buffer.from(original)
  for (let times = 1 + dice.roll(4); times > 0 && bytes.length > 0; times -= 1) {
    const at = dice.roll(bytes.length)
    const kind = dice.roll(5)
    if (kind === 0) bytes[at] = dice.roll(256)
    else if (kind === 1) bytes.fill(dice.pick(EDGES), at, Math.min(bytes.length, at + 4))
    else if (kind === 2) bytes = bytes.subarray(0, at)
    else if (kind === 3)
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.alloc(1 + dice.roll(40), dice.roll(256)),
        bytes.subarray(at),
      ])
    else bytes = Buffer.concat([bytes, bytes.subarray(at)])
  }
  return bytes
}

/** Number of ended connections by reason. */
export type Tally = Map<string, number>

const BATCH = 50

/**
 * Runs batches of `fuzz` with the seeds `seed`, `seed` + 1, … until the time is over.
 * @throws {Error} naming the seed, when a connection ends for a reason that no protocol rule or limit explains
 */
export async function fuzzFor(
  milliseconds: number,
  fuzz: (rounds: number, seed: number) => Promise<Tally>,
  seed: number,
): Promise<Tally> {
  const total: Tally = new Map()
  const end = performance.now() + milliseconds
  for (let batch = seed; performance.now() < end; batch += 1) {
    for (const [reason, count] of await fuzz(BATCH, batch)) {
      if (reason.startsWith('local/')) throw new Error(`${fuzz.name}(${BATCH}, ${batch}) ends with ${reason}`)
      total.set(reason, (total.get(reason) ?? 0) + count)
    }
  }
  return total
}

/** Advances the clock until the connection has ended, and counts the reason. */
async function finish({ clock, closed, client }: Connected, tally: Tally): Promise<void> {
  await settle()
  client.socket.end()
  await settle()
  // Longer than all timeouts of the server together; afterwards nothing may be left open.
  clock.advance(4_000_000)
  clock.advance(10_000)
  const cause: CloseCause = await closed
  const key = `${cause.by}/${cause.reason}`
  tally.set(key, (tally.get(key) ?? 0) + 1)
}

function clearPacket(payload: Uint8Array): Buffer {
  const padding = 8 - ((payload.length + 5) % 8) + 8
  const head = Buffer.alloc(5)
  head.writeUInt32BE(1 + payload.length + padding)
  head[4] = padding
  return Buffer.concat([head, payload, Buffer.alloc(padding)])
}

/** Damaged bytes on a new connection. */
export async function fuzzBytes(rounds: number, seed: number): Promise<Tally> {
  const dice = new Dice(seed)
  const tally: Tally = new Map()
  const ident = Buffer.from('SSH-2.0-Fuzz\r\n')
  const init = clearPacket(encodeKexInit(CLIENT_KEXINIT, Buffer.alloc(16, 1)))
  const exchange = clearPacket(new WireWriter().byte(n.MSG_KEX_ECDH_INIT).string(Buffer.alloc(32, 9)).done())
  const newKeys = clearPacket(Uint8Array.of(n.MSG_NEWKEYS))
  for (let round = 0; round < rounds; round += 1) {
    const connected = connect()
    const parts = [ident, init, exchange, newKeys, Buffer.alloc(64, 3)]
    const damaged = dice.roll(parts.length)
    const all = parts.map((part, index) => (index === damaged || dice.roll(8) === 0 ? damage(dice, part) : part))
    const stream = Buffer.concat(dice.roll(6) === 0 ? [damage(dice, Buffer.concat(all))] : all)
    for (let at = 0; at < stream.length;) {
      const cut = 1 + dice.roll(dice.pick([3, 50, 2_000]))
      connected.client.socket.write(stream.subarray(at, at + cut))
      at += cut
    }
    await finish(connected, tally)
  }
  return tally
}

/** Messages a client may send before authentication. */
function earlyMessages(): Uint8Array[] {
  const key = ed25519Key()
  const request = (method: string) =>
    new WireWriter().byte(n.MSG_USERAUTH_REQUEST).string('user').string('ssh-connection').string(method)
  const offer = request('publickey').boolean(true).string(key.algorithm).string(key.blob)
  return [
    new WireWriter().byte(n.MSG_SERVICE_REQUEST).string('ssh-userauth').done(),
    request('none').done(),
    request('password').boolean(false).string('wrong').done(),
    request('publickey').boolean(false).string(key.algorithm).string(key.blob).done(),
    offer.string(key.sign(Buffer.from('something else'))).done(),
    request('keyboard-interactive').string('').string('').done(),
    new WireWriter().byte(n.MSG_EXT_INFO).uint32(1).string('name').string('value').done(),
    ...transportMessages().slice(0, 4),
  ]
}

function transportMessages(): Uint8Array[] {
  return [
    new WireWriter().byte(n.MSG_IGNORE).string('x').done(),
    new WireWriter().byte(n.MSG_DEBUG).boolean(true).string('x').string('').done(),
    new WireWriter().byte(n.MSG_UNIMPLEMENTED).uint32(3).done(),
    new WireWriter().byte(n.MSG_PING).string('x').done(),
    encodeKexInit(CLIENT_KEXINIT, Buffer.alloc(16, 1)),
    new WireWriter().byte(n.MSG_KEX_ECDH_INIT).string(Buffer.alloc(32, 9)).done(),
    Uint8Array.of(n.MSG_NEWKEYS),
  ]
}

/** Messages of an authenticated client; the first channel is open, others may be. */
function lateMessages(dice: Dice): Uint8Array[] {
  const channel = dice.roll(20) === 0 ? 3 : 0
  const message = (type: number) => new WireWriter().byte(type).uint32(channel)
  const request = (name: string) => message(n.MSG_CHANNEL_REQUEST).string(name).boolean(true)
  const open = (type: string) =>
    new WireWriter()
      .byte(n.MSG_CHANNEL_OPEN)
      .string(type)
      .uint32(channel)
      .uint32(1 << 20)
      .uint32(32_768)
  const global = (name: string) => new WireWriter().byte(n.MSG_GLOBAL_REQUEST).string(name).boolean(true)
  return [
    open('session').done(),
    open('session').done(),
    open('direct-tcpip').string('host').uint32(80).string('origin').uint32(1).done(),
    open('direct-streamlocal@openssh.com').string('/path').string('').uint32(0).done(),
    message(n.MSG_CHANNEL_DATA).string('data').done(),
    message(n.MSG_CHANNEL_EXTENDED_DATA).uint32(1).string('data').done(),
    message(n.MSG_CHANNEL_WINDOW_ADJUST).uint32(1_000).done(),
    request('pty-req').string('xterm').uint32(80).uint32(24).uint32(0).uint32(0).string(Buffer.of(1, 0)).done(),
    request('env').string('LANG').string('C').done(),
    request('exec').string('true').done(),
    request('subsystem').string('sftp').done(),
    request('window-change').uint32(80).uint32(24).uint32(0).uint32(0).done(),
    request('signal').string('TERM').done(),
    request('x11-req').boolean(false).string('MIT').string('00').uint32(0).done(),
    request('eow@openssh.com').done(),
    global('tcpip-forward').string('').uint32(0).done(),
    global('cancel-tcpip-forward').string('').uint32(1).done(),
    global('streamlocal-forward@openssh.com').string('/path').done(),
    global('hostkeys-prove-00@openssh.com').string('key').done(),
    global('no-more-sessions@openssh.com').done(),
    Uint8Array.of(n.MSG_REQUEST_SUCCESS),
    Uint8Array.of(199),
  ]
}

/** Messages that end a channel, or the connection when sent at the wrong time. */
function endings(): Uint8Array[] {
  const message = (type: number) => new WireWriter().byte(type).uint32(0)
  return [
    message(n.MSG_CHANNEL_EOF).done(),
    message(n.MSG_CHANNEL_CLOSE).done(),
    message(n.MSG_CHANNEL_OPEN_CONFIRMATION).uint32(1).uint32(1_000).uint32(1_000).done(),
    message(n.MSG_CHANNEL_OPEN_FAILURE).uint32(1).string('').string('').done(),
    message(n.MSG_CHANNEL_SUCCESS).done(),
  ]
}

/** A message out of `usual`, and rarely one that is not allowed at this point. */
function choose(dice: Dice, usual: readonly Uint8Array[], unusual: readonly Uint8Array[]): Uint8Array {
  return dice.pick(dice.roll(40) === 0 ? unusual : usual)
}

function sendDamaged(dice: Dice, { client }: Connected, message: Uint8Array): void {
  const payload = dice.roll(12) === 0 ? damage(dice, message) : message
  if (payload.length > 0 && payload.length < 32_000) client.send(payload)
}

/** Damaged messages under valid keys, before authentication. */
export async function fuzzSignIn(rounds: number, seed: number): Promise<Tally> {
  const dice = new Dice(seed)
  const tally: Tally = new Map()
  const messages = earlyMessages()
  const answer = new WireWriter().byte(n.MSG_USERAUTH_INFO_RESPONSE).uint32(1).string('answer').done()
  for (let round = 0; round < rounds; round += 1) {
    const connected = connect({
      handler: {
        authenticate: async (_connection, attempt) => {
          if (attempt.method === 'keyboard-interactive') await attempt.prompt('', '', [{ text: 'x', echo: true }])
          return { result: 'reject' }
        },
      },
    })
    await connected.client.handshake()
    sendDamaged(dice, connected, messages[0] ?? Uint8Array.of(0))
    for (let sent = 0; sent < 12; sent += 1) {
      sendDamaged(
        dice,
        connected,
        choose(dice, messages.slice(1), [...transportMessages(), answer, ...lateMessages(dice)]),
      )
    }
    await finish(connected, tally)
  }
  return tally
}

/** Damaged messages of an authenticated client. */
export async function fuzzConnection(rounds: number, seed: number): Promise<Tally> {
  const dice = new Dice(seed)
  const tally: Tally = new Map()
  const unusual = [...transportMessages(), ...earlyMessages(), ...endings(), ...endings()]
  for (let round = 0; round < rounds; round += 1) {
    const connected = connect({
      client: { answersRekey: false },
      handler: { listen: async () => 1, unlisten: async () => true },
    })
    await connected.client.signIn()
    await connected.client.openSession(0)
    for (let sent = 0; sent < 40; sent += 1) sendDamaged(dice, connected, choose(dice, lateMessages(dice), unusual))
    for (const { channel } of connected.channels) channel.write(Buffer.alloc(1_000))
    await finish(connected, tally)
  }
  return tally
}
