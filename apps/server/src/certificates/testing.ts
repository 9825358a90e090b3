// What the tests of certificates share: settings of a server that a test's authority can reach, and what it shows.
import { connect } from 'node:tls'
import type { X509Certificate } from 'node:crypto'
import type { AcmeAuthority } from '@bowline/testkit/acme-authority'
import type { Log, LogFields } from '../platform/log.ts'

export const DOMAIN = 'console.example'
export const TUNNELS = 'tunnels.example'
/** An order takes some seconds, and longer on a busy machine. */
export const PATIENCE = { timeout: 25_000, interval: 50 }

/** Settings of a server at the ports where the authority looks. */
export function acmeSettings({ directory, caFile, ports, hook }: AcmeAuthority): Record<string, string> {
  return {
    BOWLINE_DOMAIN: DOMAIN,
    BOWLINE_TUNNELS_DOMAIN: TUNNELS,
    BOWLINE_HTTP_PORT: String(ports.tls),
    BOWLINE_ACME_EMAIL: 'admin@bowline.test',
    BOWLINE_ACME_DIRECTORY: directory,
    BOWLINE_ACME_CA_FILE: caFile,
    BOWLINE_ACME_HTTP_PORT: String(ports.http),
    BOWLINE_ACME_DNS_HOOK: hook,
  }
}

/**
 * Connects and verifies the certificate.
 * @param name server name; '' for none, and none is verified
 * @param ca PEM of the authority
 * @throws {Error} when it does not verify, or the handshake fails
 */
export function handshake(port: number, name: string, ca: string, protocols = ['http/1.1']): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', ca, ALPNProtocols: protocols }
    const named = name === '' ? { checkServerIdentity: () => undefined } : { servername: name }
    const socket = connect({ ...options, ...named }, () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate) resolve(certificate)
      else reject(new Error('no certificate'))
    })
    socket.once('error', reject)
  })
}

/** A log that keeps everything as text. */
export function keptLog(): { readonly log: Log; readonly text: () => string } {
  const lines: string[] = []
  const write = (event: string, fields?: LogFields): void => {
    const plain = (_: string, value: unknown) =>
      value instanceof Error ? { text: value.message, stack: value.stack } : value
    lines.push(`${event} ${JSON.stringify(fields ?? {}, plain)}`)
  }
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log }
  return { log, text: () => lines.join('\n') }
}
