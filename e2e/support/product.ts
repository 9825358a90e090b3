// Runs the whole product as people start it: `npm start -- --json` with its own data folder and ports.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { plainShell } from './plain-shell.ts'
import { type Exit, type Running, run } from './running.ts'
import { within } from './wait.ts'

export const root = resolve(import.meta.dirname, '../..')

/** The line that `npm start -- --json` prints. */
export interface StartupInfo {
  readonly api: string
  readonly console: string
  readonly docs: string
  readonly ssh: { readonly host: string; readonly port: number }
  readonly username: string
  readonly password: string
  readonly tenant: string
  readonly sshid: string
  readonly ssh_command: string
  readonly device_password: string
}

export interface Product extends StartupInfo {
  readonly dataFolder: string
  readonly process: Running
  /** A client signed in as the first account. */
  client(): Promise<ReturnType<typeof createClient>>
  /** Stops it gracefully, and removes the data folder unless the caller chose one. */
  stop(): Promise<Exit>
}

export interface ProductOptions {
  /** Default: a new one, removed at the end. */
  readonly dataFolder?: string
  readonly env?: Readonly<Record<string, string>>
  /** Command prefix that runs it as another user. */
  readonly as?: readonly string[]
  /** Default: this Node with scripts/start.js. */
  readonly command?: readonly string[]
  readonly stdin?: 'pipe'
  /** Timeout until it prints its line; default two minutes. */
  readonly timeoutMs?: number
  /** Checkout to run; default: this one. */
  readonly checkout?: string
}

/** Tests make many connections from this machine, and sessions need not outlive their test. */
const FOR_TESTS = { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8', BOWLINE_DRAIN_SECONDS: '0' }
const START_MS = 120_000

/** Starts the product. Rejects with its stderr when it exits before printing its line. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const { home, removeHome } = await newHome()
  const dataFolder = options.dataFolder ?? join(home, 'data')
  const running = launch(options, options.as ?? (await plainShell(home)), dataFolder)
  void running.ended.then(removeHome)
  const printed = await firstLine(running, options.timeoutMs ?? START_MS)
  return {
    ...printed,
    dataFolder,
    process: running,
    async client() {
      const { call } = createClient({ origin: printed.api })
      const { username, password } = printed
      const { body } = await call(operations.auth.login, { body: { username, password } })
      return createClient({ origin: printed.api, token: () => body.token })
    },
    async stop() {
      const exit = await running.end()
      await removeHome()
      return exit
    },
  }
}

/** Runs `npm start` where it must refuse: its exit code, stdout and stderr. */
export async function refusedProduct(
  options: ProductOptions,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { home, removeHome } = await newHome()
  const running = launch(options, options.as ?? [], options.dataFolder ?? join(home, 'data'))
  const stdout = running.child.stdout ? text(running.child.stdout) : ''
  const stderr = running.child.stderr ? text(running.child.stderr) : ''
  const { code } = await running.ended
  await removeHome()
  return { code, stdout: await stdout, stderr: await stderr }
}

/** Home directory for root's sessions, and for data without a configured location. */
async function newHome(): Promise<{ home: string; removeHome: () => Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'bowline-e2e-home-'))
  return { home, removeHome: () => rm(home, { recursive: true, force: true }) }
}

function launch(options: ProductOptions, as: readonly string[], dataFolder: string): Running {
  const command = options.command ?? [process.execPath, 'scripts/start.js', '--json']
  return run([...as, ...command], {
    stdio: [options.stdin ?? 'ignore', 'pipe', 'pipe'],
    cwd: options.checkout ?? root,
    env: {
      ...withoutSettings(process.env),
      BOWLINE_DATA_DIR: dataFolder,
      BOWLINE_HTTP_PORT: '0',
      BOWLINE_SSH_PORT: '0',
      ...FOR_TESTS,
      ...options.env,
    },
  })
}

/**
 * The environment without Bowline's own settings, so that tests do not depend on the calling shell; nor is the product
 * started by the npm that runs the tests, with which it would end.
 */
export function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOurs = (name: string): boolean => name.startsWith('BOWLINE_') || name === 'npm_lifecycle_event'
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOurs(name)))
}

async function firstLine(running: Running, timeoutMs: number): Promise<StartupInfo> {
  const { stdout } = running.child
  if (!stdout) throw new Error('the product has no stdout')
  const lines = createInterface({ input: stdout })
  // npm's banner may come first, and in a terminal the server's log.
  const line = new Promise<string>((settle) =>
    lines.on('line', (output) => output.startsWith('{"api":') && settle(output)),
  )
  const failed = running.ended.then(({ code }) => {
    throw new Error(`npm start ended with ${code}:\n${running.output()}`)
  })
  failed.catch(() => undefined)
  return JSON.parse(await within(timeoutMs, 'npm start prints its line', Promise.race([line, failed]))) as StartupInfo
}
