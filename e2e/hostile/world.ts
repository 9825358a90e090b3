// One honest client among many hostile ones: it calls the API and signs in by SSH continuously, and is timed.
import { generateKeyPairSync } from 'node:crypto'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { startAgent } from '../support/agent.ts'
import { root, withoutSettings } from '../support/product.ts'
import { type Server, startServer } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { showWhenThisFails } from '../support/failure-output.ts'
import type { HostileWork } from './clients.ts'

const MALLORY = { username: 'mallory', password: 'hostile and loud' }
const MIB = 1_048_576

export interface HostileResult {
  /** API calls, in milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly calls: number
  /** Complete ssh logins with a command, in milliseconds. */
  readonly loginP50: number
  readonly logins: number
  /** Failures of the honest client. */
  readonly failures: readonly string[]
  /** Highest resident memory of the server's process, in MiB. */
  readonly maxMib: number
}

/**
 * @param count of hostile clients
 * @param seconds that the honest client runs
 */
export async function runHostile(count: number, seconds: number): Promise<HostileResult> {
  await using undo = new AsyncDisposableStack()
  const server = await startServer({ env: { BOWLINE_UNCOUNTED_SOURCES: '', BOWLINE_LOG_LEVEL: 'warn' } })
  undo.defer(() => server.remove())
  const agent = await startAgent(server, 'honest')
  undo.defer(() => agent.remove())
  showWhenThisFails(() => ({ server: server.process, agent: agent.process }))
  const client = await server.client()
  const workerData: HostileWork = {
    count,
    host: '127.0.0.1',
    httpPort: Number(new URL(server.origin).port),
    sshPort: server.ssh.port,
    tenant: server.tenant,
    token: await tokenOfMallory(server),
    publicKey: generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }),
  }
  const worker = new Worker(new URL('clients.ts', import.meta.url), { workerData })
  undo.defer(async () => void (await worker.terminate()))
  const [kinds] = await once(worker, 'message')
  process.stdout.write(`${JSON.stringify(kinds)}\n`)

  const until = performance.now() + seconds * 1_000
  const failures: string[] = []
  const times: number[] = []
  const loginTimes: number[] = []
  let maxMib = 0
  const timed = async (what: string, into: number[], act: () => Promise<unknown>): Promise<void> => {
    const begun = performance.now()
    try {
      await act()
      into.push(performance.now() - begun)
    } catch (error) {
      failures.push(`${what}: ${String(error)}`)
    }
  }
  const calling = async (): Promise<void> => {
    while (performance.now() < until) {
      await timed('stats', times, () => client.call(operations.stats.get, {}))
      await timed('devices', times, () => client.call(operations.devices.list, {}))
      maxMib = Math.max(maxMib, await residentMib(server.process.child.pid ?? 0))
    }
  }
  const signingIn = async (): Promise<void> => {
    while (performance.now() < until) {
      await timed('ssh', loginTimes, async () => {
        const { code, stdout, stderr } = await ssh(agent.target, ['echo in'])
        if (code !== 0 || stdout.toString() !== 'in\n') throw new Error(`exit ${code}: ${stderr}`)
      })
    }
  }
  await Promise.all([calling(), signingIn()])
  const outcome = {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    calls: times.length,
    loginP50: quantile(loginTimes, 0.5),
    logins: loginTimes.length,
    failures,
    maxMib,
  }
  process.stdout.write(`${JSON.stringify(outcome)}\n`)
  return outcome
}

/** A signed-in account with its own namespace. */
async function tokenOfMallory({ dataFolder, origin }: Server): Promise<string> {
  const env = { ...withoutSettings(process.env), BOWLINE_DATA_DIR: dataFolder }
  const bowline = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['apps/server/src/main.ts', ...args], { cwd: root, env })
  await bowline('user', 'create', MALLORY.username, MALLORY.password, 'mallory@example.com')
  await bowline('namespace', 'create', 'hostile', MALLORY.username)
  return (await createClient({ origin }).call(operations.auth.login, { body: MALLORY })).body.token
}

async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round((Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024) / MIB)
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN)
}
