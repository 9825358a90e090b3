// A TLS server whose handshakes cost its clients much: it offers a finite-field key exchange of 8192 bits and no other.
import { execFileSync } from 'node:child_process'
import { getDiffieHellman } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:tls'
import { listeningPort } from '@bowline/base/testing/listening-port'
import { ScratchFolder } from './real-client.ts'

export interface SlowTlsServer {
  readonly port: number
  /** Its own certificate in PEM, for 127.0.0.1. */
  readonly cert: string
  /** Finished handshakes so far. */
  handshakes(): number
  close(): void
}

/** Answers every request with 200 and `{}`. */
export async function startSlowTlsServer(): Promise<SlowTlsServer> {
  const own = { ...certificate(), dhparam: parameters(), maxVersion: 'TLSv1.2' } as const
  let handshakes = 0
  const server = createServer({ ...own, ciphers: 'DHE-RSA-AES128-GCM-SHA256' }, (socket) => {
    handshakes += 1
    socket.on('error', () => undefined).once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
  }).listen(0, '127.0.0.1')
  server.on('tlsClientError', () => undefined)
  await once(server, 'listening')
  return { port: listeningPort(server), cert: own.cert, handshakes: () => handshakes, close: () => void server.close() }
}

/** The group of RFC 3526 section 7 as PEM (PKCS #3 DHParameter). */
function parameters(): string {
  const group = getDiffieHellman('modp18')
  const content = Buffer.concat([integer(group.getPrime()), integer(group.getGenerator())])
  const text = Buffer.concat([header(0x30, content.length), content]).toString('base64')
  return `-----BEGIN DH PARAMETERS-----\n${(text.match(/.{1,64}/g) ?? []).join('\n')}\n-----END DH PARAMETERS-----\n`
}

/** A positive number in DER. */
function integer(bytes: Buffer): Buffer {
  const padded = (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), bytes]) : bytes
  return Buffer.concat([header(2, padded.length), padded])
}

function header(tag: number, length: number): Buffer {
  return length < 0x80 ? Buffer.of(tag, length) : Buffer.of(tag, 0x82, length >> 8, length & 0xff)
}

/** A certificate of its own for 127.0.0.1, in PEM. */
function certificate(): { readonly cert: string; readonly key: string } {
  const scratch = new ScratchFolder()
  try {
    const [keyFile, certFile] = [scratch.file('key.pem'), scratch.file('cert.pem')]
    const names = ['-subj', '/CN=slow', '-addext', 'subjectAltName=IP:127.0.0.1']
    const files = ['-keyout', keyFile, '-out', certFile]
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-noenc', ...names, ...files], { stdio: 'pipe' })
    return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
  } finally {
    scratch[Symbol.dispose]()
  }
}
