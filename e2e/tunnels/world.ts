// The device with its services, the server with TLS, and the two ways to each service.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { operations } from '@bowline/contract/operations'
import type { Tunnel, TunnelBody } from '@bowline/contract/schemas/tunnel'
import { type Agent, startAgent } from '../support/agent.ts'
import { type Client, type Server, startServer } from '../support/server.ts'
import type { Protocol, ServiceName, Site } from './row.ts'
import { startGrpc } from './services/grpc.ts'
import { startNginx } from './services/nginx.ts'
import { startNodeHttp1, startNodeHttp2 } from './services/node.ts'
import type { Service } from './services/service.ts'
import { startWebSocket } from './services/websocket.ts'

export const DOMAIN = 'tunnels.localhost'

const STARTS: Readonly<Record<ServiceName, () => Promise<Service>>> = {
  nginx: startNginx,
  'Node HTTP/1.1': startNodeHttp1,
  'Node HTTP/2': startNodeHttp2,
  gRPC: startGrpc,
  WebSocket: startWebSocket,
}

export interface World extends AsyncDisposable {
  readonly server: Server
  readonly agent: Agent
  readonly client: Client
  /** PEM of the server's certificate, which covers the hosts of tunnels. */
  readonly certificate: string
  /** PEM of its private key. */
  readonly key: string
  /** Port at which the server takes HTTP over TLS. */
  readonly port: number
  /** Makes a tunnel to a port of the device; `ttl` is −1. */
  openTunnel(port: number, options?: Partial<TunnelBody>): Promise<Tunnel>
  /** Opens TLS to a tunnel. @param source local address */
  dial(tunnel: Pick<Tunnel, 'full_address'>, protocol: Protocol, source?: string): ReturnType<typeof connectTls>
}

export interface Sites extends World {
  /** Both ways of a client to a service. */
  ways(service: ServiceName, client: Protocol): { readonly direct: Site; readonly tunnel: Site }
}

/** @param settings of the server, beside those of the world */
export async function startWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-tunnels-'))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const names = `subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:*.${DOMAIN}`
  const files = ['-subj', '/CN=board', '-keyout', keyFile, '-out', certFile, '-addext', names]
  execFileSync('openssl', [...kind, ...files], { stdio: 'ignore' })
  const certificate = readFileSync(certFile, 'utf8')
  const tls = { BOWLINE_TLS_CERT_FILE: certFile, BOWLINE_TLS_KEY_FILE: keyFile }
  const env = { BOWLINE_TUNNELS_DOMAIN: DOMAIN, ...tls, ...settings }
  const server = await startServer({ env })
  const agent = await startAgent(server, 'served', undefined, { NODE_EXTRA_CA_CERTS: certFile })
  const client = await server.client()
  const port = Number(new URL(server.origin).port)
  return {
    server,
    agent,
    client,
    certificate,
    key: readFileSync(keyFile, 'utf8'),
    port,
    async openTunnel(to, options = {}) {
      const body = { host: '127.0.0.1', port: to, ttl: -1, ...options }
      return (await client.call(operations.tunnels.create, { params: { uid: agent.device.uid }, body })).body
    },
    dial({ full_address: servername }, protocol, source) {
      const ALPNProtocols = [protocol === 'HTTP/2' ? 'h2' : 'http/1.1']
      const from = source === undefined ? {} : { localAddress: source }
      return connectTls({ host: '127.0.0.1', port, servername, ca: certificate, ALPNProtocols, ...from })
    },
    async [Symbol.asyncDispose]() {
      await agent.remove()
      await server.remove()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Starts services beside the world, and makes a tunnel to each. */
export async function startSites(names: readonly ServiceName[]): Promise<Sites> {
  const world = await startWorld()
  const known = new Map<ServiceName, { service: Service; tunnel: Tunnel }>()
  for (const name of names) {
    const service = await STARTS[name]()
    known.set(name, { service, tunnel: await world.openTunnel(service.port, { http2: service.protocol === 'HTTP/2' }) })
  }
  return {
    ...world,
    ways(name, client) {
      const found = known.get(name)
      if (!found) throw new Error(`${name} has not been started`)
      return { direct: directSite(found.service), tunnel: tunnelSite(world, found.tunnel, client) }
    },
    async [Symbol.asyncDispose]() {
      for (const { service } of known.values()) await service[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

function directSite({ port, protocol }: Service): Site {
  const authority = `127.0.0.1:${port}`
  return {
    name: 'direct',
    protocol,
    scheme: 'http',
    authority,
    port,
    certificate: '',
    dial: (source) => connect({ host: '127.0.0.1', port, ...(source === undefined ? {} : { localAddress: source }) }),
    session: () => connectHttp2(`http://${authority}`),
  }
}

export function tunnelSite(
  world: Pick<World, 'port' | 'certificate' | 'dial'>,
  tunnel: Tunnel,
  protocol: Protocol,
): Site {
  const authority = `${tunnel.full_address}:${world.port}`
  return {
    name: 'tunnel',
    protocol,
    scheme: 'https',
    authority,
    port: world.port,
    certificate: world.certificate,
    dial: (source) => world.dial(tunnel, 'HTTP/1.1', source),
    session: () => connectHttp2(`https://${authority}`, { createConnection: () => world.dial(tunnel, 'HTTP/2') }),
  }
}
