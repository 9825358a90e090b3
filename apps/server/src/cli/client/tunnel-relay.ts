// A local port whose connections reach the service behind a TCP tunnel: for clients that do not speak TLS themselves, or
// send no server name. The service's certificate is verified here, since nothing on the way decrypts.
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { type ConnectionOptions, type TLSSocket, checkServerIdentity, connect as connectTls } from 'node:tls'
import { ConfigError } from '@bowline/contract/config'
import { publicKeyPin } from '../../platform/network/certificate.ts'

export interface RelayOptions {
  /** `tls://name:port`, as a TCP tunnel has it, or without the scheme. */
  readonly tunnel: string
  /** Port of 127.0.0.1 to listen on; 0: any free one. */
  readonly port: number
  /** PEM certificates of the authority that signed the service's; undefined: those that Node trusts. */
  readonly ca?: string
  /** Name that the certificate must have, if it is not the tunnel's. */
  readonly name?: string
  /** `sha256//` and the base64 hash of the service's public key, instead of a certificate that is trusted. */
  readonly pin?: string
  /** Address that is dialled instead of the tunnel's name, for servers that have no DNS record. */
  readonly via?: string
  /** A connection has failed. */
  readonly failed: (message: string) => void
}

export interface Relay {
  readonly port: number
  /** Ends everything. */
  close(): void
}

const PIN = /^sha256\/\/[A-Za-z0-9+/]{43}=$/

/** Listens until it is closed. @throws {ConfigError} for an address that is none */
export async function relayTunnel(options: RelayOptions): Promise<Relay> {
  const [, host = '', port = ''] = /^(?:tls:\/\/)?([a-z0-9.-]+):(\d{1,5})$/i.exec(options.tunnel) ?? []
  if (host === '') throw new ConfigError(['The tunnel must be tls://name:port, as its url is.'])
  if (options.pin !== undefined && !PIN.test(options.pin)) {
    throw new ConfigError(['The pin must be sha256// and the base64 hash of the service’s public key.'])
  }
  const target = { host: options.via ?? host, port: Number(port), servername: host }
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (local) => {
    const secured = dial(target, options)
    for (const socket of [local, secured]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
    local.on('error', () => secured.destroy())
    secured.on('error', ({ message }) => {
      options.failed(message)
      local.resetAndDestroy()
    })
    secured.once('secureConnect', () => {
      const problem = pinProblem(secured, options.pin)
      if (problem !== undefined) return void secured.destroy(new Error(problem))
      local.pipe(secured)
      secured.pipe(local)
    })
    local.once('close', (hadError) => (hadError ? secured.destroy() : undefined))
    secured.once('close', () => local.destroySoon())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function dial(
  target: { readonly host: string; readonly port: number; readonly servername: string },
  { ca, name, pin }: RelayOptions,
): TLSSocket {
  const all: ConnectionOptions & { readonly allowHalfOpen: boolean } = {
    ...target,
    allowHalfOpen: true,
    // A pinned key is compared instead, before the first byte.
    rejectUnauthorized: pin === undefined,
    ...(ca === undefined ? {} : { ca }),
    ...(name === undefined ? {} : { checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate) }),
  }
  return connectTls(all)
}

function pinProblem(socket: TLSSocket, pin: string | undefined): string | undefined {
  if (pin === undefined) return undefined
  const shown = publicKeyPin(socket.getPeerX509Certificate()?.toString() ?? '')
  return shown === pin ? undefined : `the service has another key: ${shown}`
}
