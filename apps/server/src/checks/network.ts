// Checks of ports and host names.
import { lookup } from 'node:dns/promises'
import { get as getByHttp } from 'node:http'
import { get as getByHttps } from 'node:https'
import { connect, createServer, isIP } from 'node:net'
import { json } from 'node:stream/consumers'
import { networkInterfaces } from 'node:os'
import { z } from 'zod'
import type { ServerConfig } from '../config.ts'
import { type Finding, finding, reason } from './finding.ts'

const ANSWER_TIMEOUT_MS = 10_000
/** Matches any version: an upgrade is checked beside the server that it will replace. */
const OUR_SSH = /^SSH-2[.]0-OpenSSH_.*Bowline/
export const OurInfo = z.object({ version: z.string(), endpoints: z.object({ api: z.string(), ssh: z.string() }) })

/** Checks the ports: free, or already taken by a Bowline server. */
export async function checkPorts({ settings, tls, acme }: ServerConfig): Promise<Finding[]> {
  const { BOWLINE_HOST: host, BOWLINE_HTTP_PORT: http, BOWLINE_SSH_PORT: ssh } = settings
  return Promise.all([
    checkPort({ check: 'HTTP port', setting: 'BOWLINE_HTTP_PORT', host, port: http }, () =>
      isOurHttp(host, http, tls !== undefined),
    ),
    checkPort({ check: 'SSH port', setting: 'BOWLINE_SSH_PORT', host, port: ssh }, () => isOurSsh(host, ssh)),
    ...(acme?.httpPort === undefined ? [] : [checkAcmePort(host, acme.httpPort, settings.BOWLINE_DOMAIN ?? '')]),
  ])
}

interface Listener {
  readonly check: string
  readonly setting: string
  readonly host: string
  readonly port: number
}

async function checkPort({ check, setting, host, port }: Listener, isOurs: () => Promise<boolean>): Promise<Finding> {
  const error = await bindingProblem(host, port)
  if (error === undefined) return finding(check, 'ok', `${host} port ${port} is free.`)
  if (error.code === 'EADDRINUSE') {
    if (await isOurs()) return finding(check, 'ok', `A Bowline server listens on ${host} port ${port}.`)
    return finding(
      check,
      'fail',
      `Another program listens on ${host} port ${port}.`,
      `End it, or choose another ${setting}.`,
    )
  }
  const remedy =
    error.code === 'EACCES'
      ? `Choose a ${setting} from 1024 up, or give the service AmbientCapabilities=CAP_NET_BIND_SERVICE.`
      : error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND'
        ? 'BOWLINE_HOST must be an address of this machine; 0.0.0.0 is all of them.'
        : ''
  return finding(check, 'fail', `${host} port ${port} cannot be listened on: ${reason(error)}`, remedy)
}

/** @returns undefined when binding succeeds; the port is free again by then */
function bindingProblem(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | undefined>()
  const server = createServer()
  server.once('error', resolve)
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  return promise
}

/** True if a Bowline server answers there. */
export async function isOurHttp(host: string, port: number, secure: boolean): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const options = { host: reachable(host), port, path: '/info', timeout: ANSWER_TIMEOUT_MS, agent: false as const }
  // The certificate's owner does not matter here.
  const request = secure ? getByHttps({ ...options, rejectUnauthorized: false }) : getByHttp(options)
  request.once('response', (response) => json(response).then(resolve, reject))
  request.once('timeout', () => request.destroy(new Error('no answer')))
  request.once('error', reject)
  return OurInfo.safeParse(await promise.catch(() => undefined)).success
}

function checkAcmePort(host: string, port: number, domain: string): Promise<Finding> {
  const listener = { check: 'ACME port', setting: 'BOWLINE_ACME_HTTP_PORT', host, port }
  return checkPort(listener, () => redirectsTo(`https://${domain.toLowerCase()}`, host, port, domain))
}

/** True if a port leads requests for a name to an address. */
async function redirectsTo(address: string, host: string, port: number, name: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const options = { host: reachable(host), port, path: '/', headers: { host: name }, agent: false as const }
  const request = getByHttp({ ...options, timeout: ANSWER_TIMEOUT_MS })
  request.once('response', (response) => resolve(response.resume().headers.location ?? ''))
  request.once('timeout', () => request.destroy(new Error('no answer')))
  request.once('error', reject)
  return (await promise.catch(() => '')).startsWith(address)
}

function isOurSsh(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host: reachable(host), port, timeout: ANSWER_TIMEOUT_MS })
  socket.once('data', (bytes) => resolve(OUR_SSH.test(bytes.toString('latin1'))))
  for (const event of ['error', 'timeout', 'end']) socket.once(event, () => resolve(false))
  return promise.finally(() => socket.destroy())
}

function reachable(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
}

/** Checks that the public name resolves. @param domain BOWLINE_DOMAIN */
export async function checkDomain(domain: string | undefined): Promise<Finding[]> {
  if (domain === undefined || isIP(domain)) return []
  try {
    const addresses = [...new Set((await lookup(domain, { all: true })).map(({ address }) => address))]
    const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
    const here = addresses.some((address) => own.includes(address))
    const where = here ? 'this machine' : 'not an address of this machine: right behind a proxy or NAT only'
    return [finding('domain', 'ok', `${domain} is ${addresses.join(', ')}, ${where}.`)]
  } catch (error) {
    const remedy = 'Make an address record for it; devices and people need it.'
    return [finding('domain', 'warn', `${domain} cannot be resolved here: ${reason(error)}`, remedy)]
  }
}
