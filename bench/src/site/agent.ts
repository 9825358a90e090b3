// The agent of this machine under measurement: a single process with a known id, its device accepted by the ordinary
// calls.
import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { operations } from '@bowline/contract/operations'
import shippedFlags from '../../../scripts/node-flags.json' with { type: 'json' }
import { type Server, orItsEnd, run, startServer } from './child.ts'
import { type Site, root } from './site.ts'

const SOURCE = join(root, 'apps/agent/src/main.ts')
const POLL_MS = 50

/** A device password and its crypt hash. */
export interface DevicePassword {
  readonly plain: string
  readonly hash: string
}

export async function makeDevicePassword(): Promise<DevicePassword> {
  const plain = randomBytes(16).toString('hex')
  const { stdout } = await run(process.execPath, [SOURCE, 'hash-password'], { input: plain })
  return { plain, hash: stdout.toString().trim() }
}

/**
 * Starts an agent in single-user mode.
 * @param options.executable of a bundle; default: Node and the source
 * @param options.at origin of the node that it connects to; default: the site's
 * @param options.name of a further device; default: that of the machine
 */
export function startAgent(
  site: Site,
  { hash }: DevicePassword,
  options: { executable?: string; nodeFlags?: readonly string[]; at?: string; name?: string } = {},
): Promise<Server> {
  const { executable, nodeFlags = [], at = site.origin, name } = options
  const words = executable === undefined ? [...shippedFlags.agent, ...nodeFlags, SOURCE] : ['agent']
  return startServer(executable ?? process.execPath, [...words, '--single-user'], {
    env: {
      ...process.env,
      BOWLINE_SERVER_ADDRESS: at,
      BOWLINE_SERVER_PIN: site.pin,
      BOWLINE_TENANT_ID: site.tenant,
      BOWLINE_PRIVATE_KEY: join(site.dataFolder, `bench-agent${name ?? ''}.key`),
      // Agents of one machine would count as one device.
      ...(name === undefined ? {} : { BOWLINE_PREFERRED_HOSTNAME: name, BOWLINE_PREFERRED_IDENTITY: name }),
      BOWLINE_SINGLE_USER_PASSWORD: hash,
      BOWLINE_LOG_LEVEL: 'warn',
    },
  })
}

/**
 * Accepts a device and waits until it is online.
 * @param name of a further device; default: the only one
 * @returns `user@namespace.device`
 */
export function accepted(site: Site, agent: Server, name?: string): Promise<string> {
  const online = async (): Promise<string> => {
    for (;;) {
      const { body } = await site.client.call(operations.devices.list, { query: { status: '' } })
      const device = name === undefined ? body[0] : body.find((one) => one.name === name)
      if (device?.status === 'pending') {
        await site.client.call(operations.devices.setStatus, { params: { uid: device.uid, status: 'accept' } })
      } else if (device?.online) return `${userInfo().username}@${device.namespace}.${device.name}`
      await pause(POLL_MS)
    }
  }
  return orItsEnd(agent, 'the agent', online())
}
