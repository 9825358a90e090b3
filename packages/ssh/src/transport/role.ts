// The two sides of a transport (RFC 4253): a server proves its host keys, a client accepts or refuses them.
import type { HostKey } from '../keys/host-key.ts'
import type { Compatibility } from './compatibility.ts'
import type { KexInit } from './kexinit.ts'

export type Side = 'server' | 'client'

/** The other side, for messages. */
export const PEER_OF = { server: 'client', client: 'server' } as const satisfies Record<Side, Side>

export interface ServerRole {
  readonly side: 'server'
  readonly hostKeys: readonly HostKey[]
  readonly compatibility: Compatibility
  readonly olderHostKeys: readonly HostKey[]
  /** Accepted for user keys, announced by `server-sig-algs` (RFC 8308 section 3.1). */
  readonly signatureAlgorithms: readonly string[]
}

export interface ClientRole {
  readonly side: 'client'
  readonly offer: KexInit
  /** False: nothing is sent before the server's identification has arrived. */
  readonly speaksFirst: boolean
  /**
   * Decides on the server's key, whose signature over the exchange has been verified.
   * @param blob wire encoding of the public key (RFC 4253 section 6.6)
   */
  acceptsHostKey(blob: Uint8Array): boolean
}
