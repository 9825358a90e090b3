// Runs a single-user agent on this machine for a test server, with its own device password and key file.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { Device } from '@bowline/contract/schemas/device'
import { BACKOFF_CAP_MS } from '@bowline/link/reconnect'
import { plainShell } from './plain-shell.ts'
import { root, withoutSettings } from './product.ts'
import { type Running, run } from './running.ts'
import type { Client, Server } from './server.ts'
import type { SshTarget } from './ssh.ts'
import { until } from './wait.ts'

const AGENT = 'apps/agent/src/main.ts'

/** An installation of the agent: one key across all its runs. */
export interface Agent {
  readonly device: Device
  /** Address of the device for ssh. */
  readonly target: SshTarget
  readonly process: Running
  /** Starts the next run; the previous one must have ended. */
  start(): void
  /** Starts a second process with the same key, as a cloned machine would. @param origin of its server; default: the same */
  clone(origin?: string): Running
  remove(): Promise<void>
}

/**
 * Starts an agent, accepts its device and waits until it is online.
 * @param accept default: through the API; the process shows what the agent logs
 * @param settings beside those that lead it to the server
 */
export async function startAgent(
  server: Pick<Server, 'origin' | 'tenant' | 'ssh' | 'client'>,
  name: string,
  accept: (client: Client, name: string, process: Running) => Promise<Device> = acceptDevice,
  settings: Readonly<Record<string, string>> = {},
): Promise<Agent> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-agent-'))
  const password = randomBytes(16).toString('hex')
  const env = {
    ...withoutSettings(process.env),
    BOWLINE_SERVER_ADDRESS: server.origin,
    BOWLINE_TENANT_ID: server.tenant,
    BOWLINE_PRIVATE_KEY: join(folder, 'agent.key'),
    BOWLINE_PREFERRED_HOSTNAME: name,
    // Without distinct MAC addresses, agents on one machine would count as the same device.
    BOWLINE_PREFERRED_IDENTITY: `identity of ${name}`,
    BOWLINE_SINGLE_USER_PASSWORD: hashOf(password),
    BOWLINE_LOG_LEVEL: 'info',
    ...settings,
  }
  const command = [...(await plainShell(folder)), process.execPath, AGENT, '--single-user']
  const launch = (origin = server.origin): Running =>
    run(command, { cwd: root, env: { ...env, BOWLINE_SERVER_ADDRESS: origin } })
  let current = launch()
  const client = await server.client()
  const device = await accept(client, name, current)
  return {
    device,
    target: { ...server.ssh, login: `${userInfo().username}@${device.namespace}.${device.name}`, password },
    get process() {
      return current
    },
    start() {
      current = launch()
    },
    clone: launch,
    async remove() {
      await current.end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Accepts the device with that name as soon as it has registered, and waits until it is online. */
export async function acceptDevice(client: Client, name: string): Promise<Device> {
  const { uid } = await until(`the device ${name} waits to be accepted`, async () => {
    const { body } = await client.call(operations.devices.list, { query: { status: 'pending', per_page: '100' } })
    return body.find((one) => one.name === name)
  })
  await client.call(operations.devices.setStatus, { params: { uid, status: 'accept' } })
  return untilOnline(client, uid)
}

/** Longer than an agent waits between two attempts, which comes to 30 s where a server was away for a while. */
const ONLINE_TIMEOUT_MS = 2 * BACKOFF_CAP_MS

export function untilOnline(client: Client, uid: Device['uid']): Promise<Device> {
  const isOnline = async () => {
    const { body } = await client.call(operations.devices.get, { params: { uid } })
    return body.online && body
  }
  return until('the device is online', isOnline, ONLINE_TIMEOUT_MS)
}

function hashOf(password: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [AGENT, 'hash-password'], {
    cwd: root,
    input: password,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the agent cannot hash a password: ${stderr}`)
  return stdout.trim()
}
