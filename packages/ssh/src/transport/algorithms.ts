// The server's algorithms in order of preference, and the mapping from names to packet protection.
import { keyTypeOf } from '../keys/signature.ts'
import type { KexInit } from './kexinit.ts'
import { choose } from './kexinit.ts'
import { aesGcmOpener, aesGcmSealer } from './ciphers/aes-gcm.ts'
import { ctrEtmOpener, ctrEtmSealer } from './ciphers/aes-ctr-etm.ts'
import { ctrHmacOpener, ctrHmacSealer } from './ciphers/hmac-ctr.ts'
import { CHACHA20_POLY1305_KEY_BYTES, chachaOpener, chachaSealer } from './ciphers/chacha20-poly1305.ts'
import type { PacketOpener, PacketSealer } from './ciphers/packet-cipher.ts'

export const STRICT_KEX_CLIENT = 'kex-strict-c-v00@openssh.com'
export const STRICT_KEX_SERVER = 'kex-strict-s-v00@openssh.com'
export const EXT_INFO_CLIENT = 'ext-info-c'

/** Host key algorithms that a client takes, preferred first. */
const HOST_KEY_ALGORITHMS = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
]

/** Key exchange methods (RFC 8731, draft-ietf-sshm-mlkem-hybrid-kex). */
export const KEX_METHODS = ['mlkem768x25519-sha256', 'curve25519-sha256', 'curve25519-sha256@libssh.org'] as const

/** Offered last, to clients of the last decade, where the embedding program allows it (RFC 8268, RFC 5656). */
const LEGACY_KEX_METHODS = ['ecdh-sha2-nistp256', 'diffie-hellman-group14-sha256'] as const
const LEGACY_MAC_NAMES = ['hmac-sha2-256', 'hmac-sha2-512']

type Derive = (letter: string, bytes: number) => Buffer

interface CipherSpec {
  /** Letters are those of RFC 4253 section 7.2 for this direction. */
  sealer(derive: Derive, letters: Letters, mac: string): PacketSealer
  opener(derive: Derive, letters: Letters, mac: string): PacketOpener
  readonly aead: boolean
}

interface Letters {
  readonly iv: string
  readonly key: string
  readonly mac: string
}

const TO_SERVER: Letters = { iv: 'A', key: 'C', mac: 'E' }
const TO_CLIENT: Letters = { iv: 'B', key: 'D', mac: 'F' }

function gcm(cipherName: 'aes-128-gcm' | 'aes-256-gcm', keyBytes: number): CipherSpec {
  return {
    aead: true,
    sealer: (derive, at) => aesGcmSealer(cipherName, derive(at.key, keyBytes), derive(at.iv, 12)),
    opener: (derive, at) => aesGcmOpener(cipherName, derive(at.key, keyBytes), derive(at.iv, 12)),
  }
}

function ctr(cipherName: 'aes-128-ctr' | 'aes-256-ctr', keyBytes: number): CipherSpec {
  const keys = (derive: Derive, at: Letters, mac: string) => {
    const wide = mac.startsWith('hmac-sha2-512')
    const hashName = wide ? ('sha512' as const) : ('sha256' as const)
    return {
      cipherName,
      key: derive(at.key, keyBytes),
      iv: derive(at.iv, 16),
      hashName,
      macKey: derive(at.mac, wide ? 64 : 32),
    }
  }
  return {
    aead: false,
    sealer: (derive, at, mac) => (isEtm(mac) ? ctrEtmSealer : ctrHmacSealer)(keys(derive, at, mac)),
    opener: (derive, at, mac) => (isEtm(mac) ? ctrEtmOpener : ctrHmacOpener)(keys(derive, at, mac)),
  }
}

/** Encrypt-then-MAC. */
const isEtm = (mac: string): boolean => mac.endsWith('-etm@openssh.com')

const CIPHERS = new Map<string, CipherSpec>([
  [
    'chacha20-poly1305@openssh.com',
    {
      aead: true,
      sealer: (derive, at) => chachaSealer(derive(at.key, CHACHA20_POLY1305_KEY_BYTES)),
      opener: (derive, at) => chachaOpener(derive(at.key, CHACHA20_POLY1305_KEY_BYTES)),
    },
  ],
  ['aes128-gcm@openssh.com', gcm('aes-128-gcm', 16)],
  ['aes256-gcm@openssh.com', gcm('aes-256-gcm', 32)],
  ['aes128-ctr', ctr('aes-128-ctr', 16)],
  ['aes256-ctr', ctr('aes-256-ctr', 32)],
])

const CIPHER_NAMES = [...CIPHERS.keys()]
const CHEAP_CIPHER_NAMES = CIPHER_NAMES.filter((name) => name.includes('-gcm@'))
const MAC_NAMES = ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com']

/**
 * The server's offer; the strict-kex marker counts in the first exchange only but is harmless in others.
 * @param client the client's offer, when already known: its preference decides, and OpenSSH prefers ChaCha20-Poly1305
 *   and counter mode (the latter until 9.9) to AES-GCM, which costs us half as much. So a client that supports AES-GCM
 *   is offered nothing else.
 */
export function serverOffer(
  { hostKeyAlgorithms, legacy }: { readonly hostKeyAlgorithms: readonly string[]; readonly legacy: boolean },
  client?: KexInit,
): KexInit {
  const macs = legacy ? [...MAC_NAMES, ...LEGACY_MAC_NAMES] : MAC_NAMES
  return {
    kex: [...KEX_METHODS, ...(legacy ? LEGACY_KEX_METHODS : []), STRICT_KEX_SERVER],
    hostKey: hostKeyAlgorithms,
    cipherToServer: cheapCiphers(client?.cipherToServer),
    cipherToClient: cheapCiphers(client?.cipherToClient),
    macToServer: macs,
    macToClient: macs,
    compressionToServer: ['none'],
    compressionToClient: ['none'],
    firstFollows: false,
  }
}

/**
 * The client's offer: the preference that decides. It dials devices, so the algorithms of the last decade follow the
 * modern ones; never SHA-1 or CBC.
 * @param hostKeyTypes types of the keys that the server is known by, which are asked for first
 */
export function clientOffer(hostKeyTypes: readonly string[] = []): KexInit {
  const isKnown = (algorithm: string): boolean => hostKeyTypes.includes(keyTypeOf(algorithm) ?? '')
  const known = HOST_KEY_ALGORITHMS.filter(isKnown)
  const ciphers = [...CHEAP_CIPHER_NAMES, ...CIPHER_NAMES.filter((name) => !CHEAP_CIPHER_NAMES.includes(name))]
  const macs = [...MAC_NAMES, ...LEGACY_MAC_NAMES]
  return {
    kex: [...KEX_METHODS, ...LEGACY_KEX_METHODS, EXT_INFO_CLIENT, STRICT_KEX_CLIENT],
    hostKey: [...known, ...HOST_KEY_ALGORITHMS.filter((name) => !known.includes(name))],
    cipherToServer: ciphers,
    cipherToClient: ciphers,
    macToServer: macs,
    macToClient: macs,
    compressionToServer: ['none'],
    compressionToClient: ['none'],
    firstFollows: false,
  }
}

function cheapCiphers(client: readonly string[] = []): readonly string[] {
  return client.some((name) => CHEAP_CIPHER_NAMES.includes(name)) ? CHEAP_CIPHER_NAMES : CIPHER_NAMES
}

/** The result of negotiation. MAC names are empty with an AEAD cipher. */
export interface Agreed {
  readonly kex: string
  readonly hostKey: string
  readonly cipherIn: string
  readonly cipherOut: string
  readonly macIn: string
  readonly macOut: string
}

/** @throws {Fault} `no-common-algorithm` */
export function agree(client: KexInit, server: KexInit): Agreed {
  const cipherIn = choose('cipher (client to server)', client.cipherToServer, server.cipherToServer)
  const cipherOut = choose('cipher (server to client)', client.cipherToClient, server.cipherToClient)
  choose('compression (client to server)', client.compressionToServer, server.compressionToServer)
  choose('compression (server to client)', client.compressionToClient, server.compressionToClient)
  const macFor = (cipher: string, kind: string, ours: readonly string[], theirs: readonly string[]) =>
    CIPHERS.get(cipher)?.aead ? '' : choose(kind, theirs, ours)
  return {
    kex: choose(
      'key exchange method',
      client.kex,
      server.kex.filter((name) => name !== STRICT_KEX_SERVER),
    ),
    hostKey: choose('host key algorithm', client.hostKey, server.hostKey),
    cipherIn,
    cipherOut,
    macIn: macFor(cipherIn, 'MAC (client to server)', server.macToServer, client.macToServer),
    macOut: macFor(cipherOut, 'MAC (server to client)', server.macToClient, client.macToClient),
  }
}

function specOf(cipher: string): CipherSpec {
  const spec = CIPHERS.get(cipher)
  if (!spec) throw new RangeError(`unknown cipher '${cipher}'`)
  return spec
}

/** Sealer for one side's packets, from the key derivation of RFC 4253 section 7.2. */
export function sealerFor(side: 'client' | 'server', cipher: string, mac: string, derive: Derive): PacketSealer {
  return specOf(cipher).sealer(derive, side === 'server' ? TO_CLIENT : TO_SERVER, mac)
}

/** Opener for the other side's packets; `side` is the one that reads. */
export function openerFor(side: 'client' | 'server', cipher: string, mac: string, derive: Derive): PacketOpener {
  return specOf(cipher).opener(derive, side === 'server' ? TO_SERVER : TO_CLIENT, mac)
}
