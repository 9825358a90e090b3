// A server without the quickstart: `bowline server` as a service manager runs it, with an account created through its
// set-up link, so that tests can stop, restart and starve it independently of its agents.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { freePort } from '@bowline/testkit/free-port'
import { root, withoutSettings } from './product.ts'
import { type Running, run } from './running.ts'
import { within } from './wait.ts'

export type Client = ReturnType<typeof createClient>

/** The server's message to its parent once it listens. */
interface Listening {
  readonly origin: string
  readonly sshPort: number
  readonly setupLink?: string
  readonly pin: string
}

export interface ServerOptions {
  /** Default: a new one, removed by `remove`. */
  readonly dataFolder?: string
  readonly env?: Readonly<Record<string, string>>
  /** Folder with another version of the product; default: this one. */
  readonly checkout?: string
}

/** An installation of the server: one data folder and one pair of ports across all its runs. */
export interface Server {
  readonly dataFolder: string
  readonly origin: string
  readonly ssh: { readonly host: string; readonly port: number }
  readonly tenant: string
  /** Pin of a self-signed certificate; '' without. */
  readonly pin: string
  /** The current process. */
  readonly process: Running
  readonly account: { readonly username: string; readonly password: string }
  /** Signed in as the first account. */
  client(): Promise<Client>
  /** Starts the next run, of this version or that of another checkout; the previous one must have ended. */
  start(checkout?: string): Promise<void>
  /** Stops it gracefully and removes its data. */
  remove(): Promise<void>
}

const ACCOUNT = { username: 'operator', password: 'correct horse' }
const START_MS = 60_000

/**
 * Starts a server with one account. Unless `env` overrides it, per-source rate limits exempt this machine, and
 * sessions end with the server without a grace period.
 */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'bowline-e2e-')))
  const env = {
    BOWLINE_DATA_DIR: dataFolder,
    BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8',
    BOWLINE_METRICS_SOURCES: '127.0.0.0/8',
    BOWLINE_DRAIN_SECONDS: '0',
    BOWLINE_LOG_LEVEL: 'info',
    ...options.env,
  }
  // Not the kernel's choice: while the server is stopped, an outgoing connection could take such a port.
  const chosen = { BOWLINE_HTTP_PORT: String(await freePort()), BOWLINE_SSH_PORT: String(await freePort()) }
  let current = launch({ ...chosen, ...env }, options.checkout)
  const { origin, sshPort, setupLink, pin } = await current.listening.catch(async (error: unknown) => {
    if (options.dataFolder === undefined) await rm(dataFolder, { recursive: true, force: true })
    throw error
  })
  const ports = { BOWLINE_HTTP_PORT: new URL(origin).port, BOWLINE_SSH_PORT: String(sshPort) }
  const certificate = options.env?.['BOWLINE_TLS_CERT_FILE'] ?? (pin ? join(dataFolder, 'tls.crt') : undefined)
  if (certificate !== undefined) await trustCertificate(certificate)
  const anonymous = createClient({ origin })
  if (setupLink) await setUp(anonymous, setupLink)
  const signIn = async () => (await anonymous.call(operations.auth.login, { body: ACCOUNT })).body
  return {
    dataFolder,
    origin,
    ssh: { host: '127.0.0.1', port: sshPort },
    tenant: (await signIn()).tenant,
    pin,
    account: ACCOUNT,
    get process() {
      return current.running
    },
    async client() {
      const { token } = await signIn()
      return createClient({ origin, token: () => token })
    },
    async start(checkout) {
      current = launch({ ...env, ...ports }, checkout)
      await current.listening
    },
    async remove() {
      await current.running.end()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

/** Exit code and output of a server that must refuse to start with these settings. */
export async function refusedServer(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const { running, listening } = launch({ BOWLINE_HTTP_PORT: '0', BOWLINE_SSH_PORT: '0', ...env })
  const outcome = await Promise.race([running.ended, listening.catch(() => running.ended)])
  if ('code' in outcome) return { code: outcome.code, output: running.output() }
  await running.end()
  throw new Error('the server has started, though it must not')
}

function launch(
  env: Readonly<Record<string, string>>,
  checkout: string = root,
): { running: Running; listening: Promise<Listening> } {
  const running = run([process.execPath, 'apps/server/src/main.ts', 'server'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...withoutSettings(process.env), ...env },
  })
  const message = new Promise<Listening>((resolve) =>
    running.child.once('message', (told) => resolve(told as Listening)),
  )
  const ended = running.ended.then(({ code }) => {
    throw new Error(`the server ended with ${code}:\n${running.output()}`)
  })
  const listening = within(START_MS, 'the server listens', Promise.race([message, ended]))
  listening.catch(() => undefined)
  return { running, listening }
}

async function setUp({ call }: Client, setupLink: string): Promise<void> {
  const sign = new URL(setupLink).searchParams.get('sign') ?? ''
  const { username, password } = ACCOUNT
  const body = { name: 'Operator', username, password, email: 'operator@example.com' }
  await call(operations.instance.setup, { query: { sign }, body })
}

/** Makes this process's `fetch` accept a self-signed certificate. */
async function trustCertificate(file: string): Promise<void> {
  setDefaultCACertificates([...getCACertificates('default'), await readFile(file, 'utf8')])
}
