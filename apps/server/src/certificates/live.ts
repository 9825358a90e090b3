// The certificates that the listener of https shows: each handshake gets those in effect at that moment.
import { type SecureContext, type Server, createSecureContext } from 'node:tls'
import type { CertificateUse } from '@bowline/contract/operations/instance'
import type { TlsMaterial } from '../platform/network/certificate.ts'
import { lifeOf } from './life.ts'

export interface LiveCertificates {
  /** For the options of the listener. */
  readonly SNICallback: (name: string, done: (error: Error | null, context?: SecureContext) => void) => void
  /** Certificates for the console are also for clients that send no name. */
  attach(server: Pick<Server, 'setSecureContext'>): void
  /** Shows a certificate from now on. Connections that there are keep theirs. */
  use(use: CertificateUse, material: TlsMaterial): void
  /** Ends of the certificates that are shown, in milliseconds since the epoch. */
  ends(): ReadonlyMap<CertificateUse, number>
}

/**
 * @param isTunnelHost true for names of tunnels
 * @param first what the listener begins with; undefined without TLS
 */
export function createLiveCertificates(
  isTunnelHost: (name: string) => boolean,
  first: TlsMaterial | undefined,
): LiveCertificates {
  let server: Pick<Server, 'setSecureContext'> | undefined
  let ofConsole: TlsMaterial | undefined
  const ends = new Map<CertificateUse, number>()
  if (first) ends.set('console', endOf(first))
  let ofTunnels: SecureContext | undefined
  return {
    // Without a context the listener's own is used.
    SNICallback: (name, done) => done(null, isTunnelHost(name) ? ofTunnels : undefined),
    attach(listener) {
      server = listener
      if (ofConsole) server.setSecureContext({ ...ofConsole })
    },
    ends: () => ends,
    use(use, material) {
      ends.set(use, endOf(material))
      if (use === 'tunnels') {
        ofTunnels = createSecureContext({ ...material })
        return
      }
      ofConsole = material
      server?.setSecureContext({ ...material })
    },
  }
}

function endOf({ cert }: TlsMaterial): number {
  return lifeOf(cert).to
}
