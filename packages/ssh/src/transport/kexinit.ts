// SSH_MSG_KEXINIT (RFC 4253 section 7.1): encoding, decoding and algorithm negotiation.
import { protocolFault } from '../fault.ts'
import { DISCONNECT_KEY_EXCHANGE_FAILED, MSG_KEXINIT } from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'

/** Longest name-list accepted from a peer, in bytes. */
const LIST_BYTES = 4_096

export interface KexInit {
  readonly kex: readonly string[]
  readonly hostKey: readonly string[]
  readonly cipherToServer: readonly string[]
  readonly cipherToClient: readonly string[]
  readonly macToServer: readonly string[]
  readonly macToClient: readonly string[]
  readonly compressionToServer: readonly string[]
  readonly compressionToClient: readonly string[]
  /** A guessed key exchange packet follows. */
  readonly firstFollows: boolean
}

/** @param cookie 16 random bytes */
export function encodeKexInit(init: KexInit, cookie: Uint8Array): Uint8Array {
  return new WireWriter(1_024)
    .byte(MSG_KEXINIT)
    .bytes(cookie)
    .nameList(init.kex)
    .nameList(init.hostKey)
    .nameList(init.cipherToServer)
    .nameList(init.cipherToClient)
    .nameList(init.macToServer)
    .nameList(init.macToClient)
    .nameList(init.compressionToServer)
    .nameList(init.compressionToClient)
    .nameList([])
    .nameList([])
    .boolean(init.firstFollows)
    .uint32(0)
    .done()
}

/** @param payload starting with the message number */
export function decodeKexInit(payload: Uint8Array): KexInit {
  const reader = new WireReader(payload, 1)
  reader.bytes(16, 'cookie')
  const init = {
    kex: reader.nameList('kex algorithms', LIST_BYTES),
    hostKey: reader.nameList('host key algorithms', LIST_BYTES),
    cipherToServer: reader.nameList('ciphers client to server', LIST_BYTES),
    cipherToClient: reader.nameList('ciphers server to client', LIST_BYTES),
    macToServer: reader.nameList('MACs client to server', LIST_BYTES),
    macToClient: reader.nameList('MACs server to client', LIST_BYTES),
    compressionToServer: reader.nameList('compression client to server', LIST_BYTES),
    compressionToClient: reader.nameList('compression server to client', LIST_BYTES),
  }
  reader.string('languages client to server', LIST_BYTES)
  reader.string('languages server to client', LIST_BYTES)
  const firstFollows = reader.boolean('first_kex_packet_follows')
  reader.uint32('reserved')
  reader.end('KEXINIT')
  return { ...init, firstFollows }
}

/**
 * The client's first name that the server also supports (RFC 4253 section 7.1).
 * @throws {Fault} `no-common-algorithm`, naming the kind
 */
export function choose(kind: string, client: readonly string[], server: readonly string[]): string {
  const common = client.find((name) => server.includes(name))
  if (common !== undefined) return common
  const message = `No ${kind} in common; the server offers ${server.join(', ')}.`
  throw protocolFault('no-common-algorithm', message, DISCONNECT_KEY_EXCHANGE_FAILED)
}
