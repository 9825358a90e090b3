// The two ways to the device: a plain sshd, and Bowline with an agent that serves the accounts of the system.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { acceptDevice } from '../support/agent.ts'
import { root, withoutSettings } from '../support/product.ts'
import type { Running } from '../support/running.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/wait.ts'
import type { Site } from './row.ts'
import { tool } from './tool.ts'
import { ACCOUNT, type World, makeWorld } from './world.ts'

export interface Sites extends AsyncDisposable {
  readonly all: readonly Pick<Site, 'name'>[]
  /** The site with an empty home and an empty scratch folder. */
  fresh(name: Site['name']): Promise<Site>
}

type Way = Pick<Site, 'name' | 'host' | 'port' | 'login'>

/** Starts both. */
export async function startSites(): Promise<Sites> {
  const stack = new AsyncDisposableStack()
  try {
    const world = stack.use(await makeWorld())
    const plain = await startSshd(world, stack)
    const ways: Way[] = [
      { name: 'sshd', host: '127.0.0.1', port: plain, login: ACCOUNT.name },
      { name: 'bowline', ...(await startBowline(world, stack)) },
    ]
    const owned = stack.move()
    return {
      all: ways,
      async fresh(name) {
        const way = ways.find((one) => one.name === name)
        if (!way) throw new Error(`there is no site ${name}`)
        return prepare(world, way, plain)
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

let count = 0

async function prepare(world: World, way: Way, beyond: number): Promise<Site> {
  const scratch = join(world.folder, `client-${++count}`)
  await mkdir(scratch)
  await world.newHome()
  const { home, keyFile, echo } = world
  const configFile = join(scratch, 'config')
  await writeFile(configFile, configuration(way, keyFile))
  return { ...way, password: ACCOUNT.password, home, keyFile, echo, scratch, configFile, beyond: { port: beyond } }
}

function configuration(way: Way, keyFile: string): string {
  return `Host device
  HostName ${way.host}
  Port ${way.port}
  User ${way.login}
Host *
  IdentityFile ${keyFile}
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
  ConnectTimeout 20
`
}

/** @returns its port */
async function startSshd(world: World, stack: AsyncDisposableStack): Promise<number> {
  const file = (name: string): string => join(world.folder, name)
  await tool(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', file('host_key')])
  await writeFile(file('authorized_keys'), await readFile(`${world.keyFile}.pub`))
  const port = 20_000 + (process.pid % 20_000)
  await writeFile(
    file('sshd_config'),
    `ListenAddress 127.0.0.1
Port ${port}
HostKey ${file('host_key')}
PidFile none
AuthorizedKeysFile ${file('authorized_keys')}
StrictModes no
UsePAM no
PasswordAuthentication yes
KbdInteractiveAuthentication no
AcceptEnv LANG LC_*
X11Forwarding yes
PrintMotd no
PrintLastLog no
UseDNS no
MaxStartups 100:30:200
MaxSessions 64
Subsystem sftp /usr/lib/openssh/sftp-server
`,
  )
  const sshd = world.run(['/usr/sbin/sshd', '-D', '-e', '-f', file('sshd_config')], { PATH: process.env['PATH'] })
  stack.defer(async () => void (await sshd.end()))
  await until('sshd listens', () => orItsEnd(sshd, 'sshd') ?? canConnect(port))
  return port
}

async function startBowline(world: World, stack: AsyncDisposableStack): Promise<Omit<Way, 'name'>> {
  const server = await startServer()
  stack.defer(() => server.remove())
  const agent = world.run([process.execPath, join(root, 'apps/agent/src/main.ts')], {
    ...withoutSettings(process.env),
    BOWLINE_SERVER_ADDRESS: server.origin,
    BOWLINE_TENANT_ID: server.tenant,
    BOWLINE_PRIVATE_KEY: join(world.folder, 'agent.key'),
    BOWLINE_PREFERRED_HOSTNAME: 'board',
  })
  stack.defer(async () => void (await agent.end()))
  const client = await server.client()
  const device = await acceptDevice(client, 'board').catch((error: unknown) => {
    throw new Error(`${String(error)}\n${agent.said()}`)
  })
  const data = (await readFile(`${world.keyFile}.pub`)).toString('base64')
  const body = { name: 'board', username: ACCOUNT.name, filter: { hostname: '.*' }, data }
  await client.call(operations.publicKeys.create, { body })
  return { ...server.ssh, login: `${ACCOUNT.name}@${device.namespace}.${device.name}` }
}

function orItsEnd(process: Running, name: string): undefined {
  if (process.child.exitCode !== null) throw new Error(`${name} ended: ${process.said()}`)
  return undefined
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
