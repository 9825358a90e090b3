// The balancers of deploy/balancers in front of a real server, with an agent and clients that reach it through them only.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type IncomingMessage, createServer } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { listeningPort } from '@bowline/base/testing/listening-port'
import { operations } from '@bowline/contract/operations'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { freePort } from '@bowline/testkit/free-port'
import { beforeAll, describe, expect, it } from 'vitest'
import { scriptOf } from '../release/page.ts'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { listenToEvents } from '../support/events.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { newestSession } from '../support/newest-session.ts'
import { type Server, startServer } from '../support/server.ts'
import { ssh, startEcho } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { createClient } from '@bowline/contract/client'
import { type Balancer, type Node, hasBalancers, startBalancer } from './balancer.ts'

const DOMAIN = 'tunnels.localhost'
/** May read the metrics, so that a status tells which address the server has seen. */
const READER = '127.0.0.5'
const OTHER = '127.0.0.6'
const UPLOAD_BYTES = 4 * 1024 * 1024

const FORMS = [
  ['haproxy.cfg', { program: 'haproxy', files: ['haproxy.cfg'], endsTls: true }],
  ['haproxy-tcp.cfg', { program: 'haproxy', files: ['haproxy-tcp.cfg'], endsTls: false }],
  ['nginx-http.conf', { program: 'nginx', files: ['nginx-http.conf', 'nginx-ssh.conf'], endsTls: true }],
  ['nginx-https.conf', { program: 'nginx', files: ['nginx-https.conf', 'nginx-ssh.conf'], endsTls: false }],
] as const

describe.skipIf(!hasBalancers).each(FORMS)('%s (needs haproxy, nginx and its stream module)', (_, form) => {
  const undo = cleanups()
  let server: Server
  let agent: Agent
  let balancer: Balancer
  let second: Node
  let ca: string
  let env: Record<string, string>
  showOnFailure(() => ({ server: server?.process, agent: agent?.process, balancer: balancer?.process }))

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-balanced-'))
    undo(() => rmSync(folder, { recursive: true }))
    const [certFile, keyFile] = makeCertificate(folder)
    ca = readFileSync(certFile, 'utf8')
    setDefaultCACertificates([...getCACertificates('default'), ca])
    env = {
      BOWLINE_TRUSTED_PROXIES: '127.0.0.1',
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
      BOWLINE_METRICS_SOURCES: READER,
      BOWLINE_MAX_UNAUTHENTICATED: '3',
      BOWLINE_TUNNELS_DOMAIN: DOMAIN,
      BOWLINE_DRAIN_SECONDS: '60',
      ...(form.endsTls ? {} : { BOWLINE_TLS_CERT_FILE: certFile, BOWLINE_TLS_KEY_FILE: keyFile }),
    }
    server = await startServer({ env })
    undo(() => server.remove())
    const first = { http: Number(new URL(server.origin).port), ssh: server.ssh.port }
    second = { http: await freePort(), ssh: await freePort() }
    const certificate = { cert: ca, key: readFileSync(keyFile, 'utf8') }
    balancer = await startBalancer(form.program, form.files, [first, second], certificate)
    undo(() => balancer.close())
    const ways = { BOWLINE_SERVER_ADDRESS: `https://127.0.0.1:${balancer.httpsPort}`, NODE_EXTRA_CA_CERTS: certFile }
    agent = await startAgent(server, 'balanced', undefined, ways)
    undo(() => agent.remove())
  })

  const target = (source = READER) => ({ ...agent.target, port: balancer.sshPort, source })
  /** Requests through the balancer. @param source local address of the client */
  const ask = (path: string, source: string, headers: Record<string, string> = {}, method = 'GET') => {
    const from = { host: '127.0.0.1', port: balancer.httpsPort, localAddress: source, agent: false as const }
    return request({ ...from, method, path, ca, headers })
  }
  const status = async (path: string, source: string, headers: Record<string, string> = {}) => {
    const asked = ask(path, source, headers)
    asked.end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode
  }
  /** First line at the SSH port. The connection stays open until the end. */
  const greetingFor = async (source: string): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port: balancer.sshPort, localAddress: source })
    undo(() => socket.destroy())
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    return chunk.toString().split('\r\n')[0] ?? ''
  }
  const tunnelTo = async (port: number): Promise<string> => {
    const { call } = await server.client()
    const body = { host: '127.0.0.1', port, ttl: -1 }
    return (await call(operations.tunnels.create, { params: { uid: agent.device.uid }, body })).body.full_address
  }

  it('shows the server each client’s own address, on both ports', async () => {
    expect([await status('/metrics', READER), await status('/metrics', OTHER)]).toEqual([200, 404])
    expect((await ssh(target(), ['echo here'])).stdout.toString()).toBe('here\n')
    expect((await newestSession(await server.client()))?.ip_address).toBe(READER)
  })

  it('replaces what a client claims to be', async () => {
    expect(await status('/metrics', OTHER, { 'X-Forwarded-For': READER })).toBe(404)
  })

  it('lets one source meet its limit at the SSH port without another one', async () => {
    const greetings = [
      await greetingFor(OTHER),
      await greetingFor(OTHER),
      await greetingFor(OTHER),
      await greetingFor(OTHER),
    ]
    expect(greetings.map((line) => line.startsWith('SSH-2.0-'))).toEqual([true, true, true, false])
    expect(await greetingFor('127.0.0.7')).toMatch(/^SSH-2\.0-/)
  })

  it('passes live events on as they come', async () => {
    const { body } = await createClient({ origin: server.origin }).call(operations.auth.login, { body: server.account })
    const origin = `https://127.0.0.1:${balancer.httpsPort}`
    const log = await listenToEvents(createClient({ origin, token: () => body.token }))
    undo(() => log.stop())
    expect((await ssh(target(), ['true'])).code).toBe(0)
    await until('the event of the session arrives', () => log.events.some(({ type }) => type.startsWith('session')))
  })

  it('passes both directions of a tunnel’s request on as they come', async () => {
    const service = createServer((incoming, response) => {
      response.writeHead(200)
      incoming.pipe(response)
    }).listen(0, '127.0.0.1')
    await once(service, 'listening')
    undo(() => service.close())
    const asked = ask('/echo', READER, { host: await tunnelTo(listeningPort(service)) }, 'POST')
    asked.write('first')
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    expect(String((await once(answer, 'data'))[0])).toBe('first')
    asked.end('second')
    expect(await text(answer)).toBe('second')
  })

  it('takes uploads of any size', async () => {
    const service = createServer((incoming, response) => {
      const hash = createHash('sha256')
      incoming.on('data', (chunk: Buffer) => hash.update(chunk))
      incoming.on('end', () => response.end(hash.digest('hex')))
    }).listen(0, '127.0.0.1')
    await once(service, 'listening')
    undo(() => service.close())
    const bytes = randomBytes(UPLOAD_BYTES)
    const asked = ask('/upload', READER, { host: await tunnelTo(listeningPort(service)) }, 'POST')
    asked.end(bytes)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    expect(await text(answer)).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  // Last: it stops the server.
  it('sends new clients to the other node while one drains, and keeps its sessions', async () => {
    const session = await startEcho(target())
    const ports = { BOWLINE_HTTP_PORT: String(second.http), BOWLINE_SSH_PORT: String(second.ssh) }
    const other = await startServer({ env: { ...env, ...ports } })
    undo(() => other.remove())
    const ended = server.process.end('SIGTERM')
    if (form.program === 'haproxy') {
      await until('both ports of the node are turned off', async () => {
        const states = await balancer.states()
        return states.filter((state) => /node1: DOWN/.test(state)).length === 2
      })
      const script = await scriptOf('self-hosted/balancers.md', 'haproxy')
      const shown = execFileSync('sh', ['-c', script.replace('/run/haproxy/admin.sock', balancer.adminSocket)])
      // Name and address of the server, and 0: it is down.
      if (!/ (?:bowline_)?ssh \d+ node1 127\.0\.0\.1 0 /.test(shown.toString())) throw new Error(shown.toString())
      await until('ssh meets the other node', async () => !(await ssh(target(), ['true'])).stderr.includes('stopping'))
    }
    // nginx has no checks of its own: until its next attempt it may hold both nodes for gone, and reset connections.
    await until('the other node answers', async () => (await status('/healthcheck', READER).catch(() => 0)) === 200)
    await session.echo('still here')
    session.end()
    expect([(await session.result).code, (await ended).code]).toEqual([0, 0])
  })
})

/** For the server or the balancer, and for hosts of tunnels. @returns files of certificate and key */
function makeCertificate(folder: string): [string, string] {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const kind = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    '/CN=balanced',
  ]
  const names = `subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:*.${DOMAIN}`
  execFileSync('openssl', [...kind, '-addext', names, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return [cert, key]
}
