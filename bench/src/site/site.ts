// The server under measurement: a process with a known id, with its own database in a temporary folder, set up by the
// ordinary calls.
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { z } from 'zod'
import { publicKeyPin, selfSignedCertificate } from '../../../apps/server/src/platform/network/certificate.ts'
import shippedFlags from '../../../scripts/node-flags.json' with { type: 'json' }
import { type Server, orItsEnd, startServer } from './child.ts'

export const root = resolve(import.meta.dirname, '../../..')

/** The server's message to its parent. */
const Started = z.object({ origin: z.string(), sshPort: z.number().int() })
const FirstStart = Started.extend({ setupLink: z.string() })

export interface SiteOptions {
  /** Created when missing; used by this site only. */
  readonly folder: string
  /** Node flags for the server's process, in addition to those it ships with. */
  readonly nodeFlags?: readonly string[]
  /** Whether the server itself terminates TLS, as when it is reachable from other machines. */
  readonly secure?: boolean
  /** Settings of each of its starts. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Another process of the installation. */
export interface SiteNode extends AsyncDisposable {
  readonly origin: string
  readonly sshPort: number
  readonly server: Server
}

export interface Site extends AsyncDisposable {
  readonly origin: string
  readonly sshPort: number
  readonly dataFolder: string
  /** The pin for agents; '' without TLS. */
  readonly pin: string
  readonly tenant: string
  /** The current process. */
  readonly server: Server
  readonly client: ReturnType<typeof createClient>
  stop(): Promise<void>
  /** Starts another process with its settings and these; it shares what they name. @param folder of its data */
  join(folder: string, settings: Readonly<Record<string, string>>): Promise<SiteNode>
  /** Restarts the server on the same ports, with these additional settings. Resolves when it listens. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>
}

/** Sources on this machine make many connections: the limits per source are not under test. */
const SETTINGS = {
  BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8',
  BOWLINE_METRICS_SOURCES: '127.0.0.0/8',
  BOWLINE_LOG_LEVEL: 'warn',
}

const ANY_PORTS = { BOWLINE_HTTP_PORT: '0', BOWLINE_SSH_PORT: '0' }

const ACCOUNT = { username: 'bench', password: 'bench-bench' }

/** Starts a server on fresh data and signs in as its first account. */
export async function startSite(options: SiteOptions): Promise<Site> {
  const { folder, nodeFlags = [], secure = false } = options
  // Traversable but not readable by others: the database runs as another account.
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const tls = secure ? await certificateOf(folder) : { pin: '', settings: {} }
  const start = async (settings: Readonly<Record<string, string>>): Promise<{ server: Server; told: unknown }> => {
    const server = await startServer(
      process.execPath,
      [...shippedFlags.server, ...nodeFlags, join(root, 'apps/server/src/main.ts'), 'server'],
      {
        env: {
          ...process.env,
          ...SETTINGS,
          BOWLINE_DATA_DIR: folder,
          ...tls.settings,
          ...options.settings,
          ...settings,
        },
        ipc: true,
      },
    )
    const told = new Promise<unknown>((settle) => server.process.once('message', settle))
    return { server, told: await orItsEnd(server, 'the server', told) }
  }
  const first = await start(ANY_PORTS)
  let { server } = first
  const { origin, sshPort, setupLink } = FirstStart.parse(first.told)
  const { token, tenant } = await setUp(origin, setupLink)
  const ports = { BOWLINE_HTTP_PORT: new URL(origin).port, BOWLINE_SSH_PORT: String(sshPort) }
  const stop = (): Promise<void> => server.stop()
  return {
    origin,
    sshPort,
    dataFolder: folder,
    pin: tls.pin,
    tenant,
    get server() {
      return server
    },
    client: createClient({ origin, token: () => token }),
    stop,
    async join(data, settings) {
      await mkdir(data, { recursive: true, mode: 0o711 })
      const { server: other, told } = await start({ ...ANY_PORTS, BOWLINE_DATA_DIR: data, ...settings })
      return { ...Started.parse(told), server: other, [Symbol.asyncDispose]: () => other.stop() }
    },
    async start(settings = {}) {
      server = (await start({ ...ports, ...settings })).server
    },
    [Symbol.asyncDispose]: stop,
  }
}

/** Creates the first account and signs in. */
async function setUp(origin: string, setupLink: string): Promise<{ token: string; tenant: string }> {
  const { call } = createClient({ origin })
  const sign = new URL(setupLink).searchParams.get('sign') ?? ''
  const account = { ...ACCOUNT, name: ACCOUNT.username, email: `${ACCOUNT.username}@localhost.localdomain` }
  await call(operations.instance.setup, { query: { sign }, body: account })
  const { body } = await call(operations.auth.login, { body: ACCOUNT })
  return { token: body.token, tenant: body.tenant }
}

const authorities = getCACertificates()

/**
 * A certificate for this machine, and the only one of its own that this process trusts from now on: among several with
 * the same name OpenSSL would only try the first.
 */
export async function certificateOf(
  folder: string,
): Promise<{ pin: string; settings: Readonly<Record<string, string>> }> {
  const { cert } = await selfSignedCertificate(folder, ['localhost', '127.0.0.1'])
  setDefaultCACertificates([...authorities, cert])
  const settings = { BOWLINE_TLS_CERT_FILE: join(folder, 'tls.crt'), BOWLINE_TLS_KEY_FILE: join(folder, 'tls.key') }
  return { pin: publicKeyPin(cert), settings }
}
