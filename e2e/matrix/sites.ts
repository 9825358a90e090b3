// The two ways to the device: a plain sshd, and Bowline with an agent that serves the accounts of the system.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { startServer } from '../support/server.ts'
import type { SshTarget } from '../support/ssh.ts'
import type { Site } from './row.ts'
import { type World, makeWorld } from './world.ts'

export interface Sites extends AsyncDisposable {
  /** The site with an empty home and an empty scratch folder. */
  fresh(name: Site['name']): Promise<Site>
}

/** Starts both. */
export async function startSites(): Promise<Sites> {
  const stack = new AsyncDisposableStack()
  try {
    const world = stack.use(await makeWorld())
    const sshd = await startPeer(world)
    const targets = { sshd, bowline: await startBowline(world, stack) }
    const owned = stack.move()
    return {
      fresh: (name) => prepare(world, name, targets[name], sshd.port),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

let count = 0

async function prepare(world: World, name: Site['name'], target: SshTarget, beyond: number): Promise<Site> {
  const { device, keyFile, echo } = world
  const scratch = join(device.folder, `client-${++count}`)
  await mkdir(scratch)
  await world.newHome()
  const configFile = join(scratch, 'config')
  await writeFile(configFile, configuration(target, keyFile))
  const { home } = device.account
  return { ...target, name, home, keyFile, echo, scratch, configFile, beyond: { port: beyond } }
}

function configuration({ host, port, login }: SshTarget, keyFile: string): string {
  return `Host device
  HostName ${host}
  Port ${port}
  User ${login}
Host *
  IdentityFile ${keyFile}
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
  ConnectTimeout 20
`
}

/** The peer, as generous as the product: both ways of asking for a password, variables of the language, many channels. */
function startPeer({ device, keyFile }: World): Promise<SshTarget> {
  return device.startSshd([
    `AuthorizedKeysFile ${keyFile}.pub`,
    'StrictModes no',
    'UsePAM yes',
    'KbdInteractiveAuthentication yes',
    'AcceptEnv LANG LC_*',
    'MaxStartups 100:30:200',
    'MaxSessions 64',
    'Subsystem sftp /usr/lib/openssh/sftp-server',
  ])
}

async function startBowline({ device, keyFile }: World, stack: AsyncDisposableStack): Promise<SshTarget> {
  const server = await startServer()
  stack.defer(() => server.remove())
  const target = await device.startAgent(server, 'board')
  const client = await server.client()
  const data = (await readFile(`${keyFile}.pub`)).toString('base64')
  const body = { name: 'board', username: device.account.name, filter: { hostname: '.*' }, data }
  await client.call(operations.publicKeys.create, { body })
  return target
}
