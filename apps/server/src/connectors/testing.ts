// For tests: a namespace whose connector leads to a real engine, with a key that its accounts may use.
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Input } from '@bowline/contract/operation'
import { operations } from '@bowline/contract/operations'
import type { Device } from '@bowline/contract/schemas/device'
import type { ContainerEngine } from '@bowline/testkit/container-engine'
import { type ClientResult, ScratchFolder, run, sshOptions } from '@bowline/testkit/real-client'
import { until } from '@bowline/testkit/until'
import { type BootedServer, type Person, setStatus } from '../testing/boot.ts'

/** Settings of a server that may dial engines on this machine. */
export const LOOPBACK_ALLOWED = { BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32', BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' }

export interface EngineWorld {
  readonly person: Person
  /** Uid of the connector. */
  readonly connector: string
  /** The list of containers by name, as people see it. */
  containers(): Promise<Map<string, Device>>
  /** Waits until a container is accepted and online. */
  accept(name: string): Promise<Device>
  /** Runs OpenSSH with the person's key. */
  ssh(login: string, command: readonly string[], input?: Uint8Array, options?: readonly string[]): Promise<ClientResult>
  /**
   * Starts it with open streams.
   * @param before shell commands that precede it in a terminal of its own; without them it has none
   */
  startSsh(
    login: string,
    command: readonly string[],
    options?: readonly string[],
    before?: string,
  ): ReturnType<typeof spawn>
  /** Path of the private key. */
  readonly key: string
  close(): void
}

/** Adds a connector to the engine and a key for every account and device. */
export function engineWorld(
  server: BootedServer,
  person: Person,
  { host, port }: Pick<ContainerEngine, 'host' | 'port'>,
): Promise<EngineWorld> {
  return engineWorldOf(server, person, { address: host, port, secure: false })
}

/** As {@link engineWorld}. @param place of the engine, as a connector has it */
export async function engineWorldOf(
  server: BootedServer,
  person: Person,
  place: Omit<Input<typeof operations.connectors.create>['body'], 'enable'>,
): Promise<EngineWorld> {
  const { client } = person
  await client.call(operations.connectors.create, { body: { enable: true, ...place } })
  const [connector] = (await client.call(operations.connectors.list, {})).body
  if (!connector) throw new Error('there is no connector')
  const scratch = new ScratchFolder()
  const key = scratch.key('ed25519')
  const data = Buffer.from(await readFile(`${key}.pub`, 'utf8')).toString('base64')
  const filter = { hostname: '.*' }
  await client.call(operations.publicKeys.create, { body: { name: 'laptop', username: '.*', data, filter } })
  const containers = async () => {
    const { body: found } = await client.call(operations.containers.list, { query: { status: '', per_page: '100' } })
    return new Map(found.map((device) => [device.name, device]))
  }
  const argumentsOf = (login: string, options: readonly string[]) => [
    ...options,
    ...sshOptions(server.sshPort, ['PreferredAuthentications=publickey', `IdentityFile=${key}`]),
    `${login}@127.0.0.1`,
  ]
  return {
    person,
    connector: connector.uid,
    containers,
    key,
    async accept(name) {
      const { uid, status } = await until(async () => (await containers()).get(name))
      if (status !== 'accepted') await setStatus(person, uid, 'accept')
      return until(async () => {
        const device = (await containers()).get(name)
        return device?.online && device.status === 'accepted' ? device : undefined
      })
    },
    ssh: (login, command, input, options = []) => run('ssh', [...argumentsOf(login, options), ...command], input),
    startSsh(login, command, options = [], before) {
      const args = [...argumentsOf(login, options), ...command]
      if (before === undefined) return spawn('ssh', args)
      return spawn('script', ['-qec', `${before} ssh ${args.join(' ')}`, '/dev/null'])
    },
    close: () => scratch[Symbol.dispose](),
  }
}
