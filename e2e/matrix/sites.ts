// The two routes to the device: a plain sshd, and Bowline with an agent that serves system accounts.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { type Client, startServer } from '../support/server.ts'
import type { SshTarget } from '../support/ssh.ts'
import type { Site } from './row.ts'
import { type World, makeWorld } from './world.ts'

export interface SiteSource {
  /**
   * The site with an empty home and an empty scratch folder.
   * @param at index of the device account; concurrent users of a site need different ones
   */
  fresh(name: Site['name'], at?: number): Promise<Site>
}

export interface Sites extends SiteSource, AsyncDisposable {}

/** Starts a server and a device that it reaches. @returns how clients reach it */
export type StartBowline = (world: World, stack: AsyncDisposableStack) => Promise<SshTarget>

/**
 * Starts both.
 * @param accounts of the device: how many rows may run at once; default 1
 * @param start how Bowline reaches the device; by default its agent
 * @param peer the SSH server to compare with; by default sshd
 */
export async function startSites(
  accounts = 1,
  start: StartBowline = startWithAgent,
  peer: (world: World) => Promise<SshTarget> = startPeer,
): Promise<Sites> {
  const stack = new AsyncDisposableStack()
  try {
    const world = stack.use(await makeWorld(accounts))
    const sshd = await peer(world)
    const targets = { sshd, bowline: await start(world, stack) }
    const owned = stack.move()
    const exchange = accounts > 1 ? CHEAP_EXCHANGE : ''
    return {
      fresh: (name, at = 0) => prepare(world, name, at, targets[name], sshd.port, exchange),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/**
 * For rows that run many times at once. OpenSSH's default, sntrup761, takes 0.13 s of processor time from each client:
 * hundreds of runs would mostly wait for it. Rows that run once use the default.
 */
const CHEAP_EXCHANGE = '  KexAlgorithms curve25519-sha256\n'

let count = 0

async function prepare(
  world: World,
  name: Site['name'],
  at: number,
  target: SshTarget,
  beyond: number,
  exchange: string,
): Promise<Site> {
  const { device, keyFile, ecdsaKeyFile, echo } = world
  const account = device.accounts[at]
  if (!account) throw new Error(`the device has no account ${at}`)
  // A target contains the device's first account.
  const login = target.login.replace(device.account.name, account.name)
  const scratch = join(device.folder, `client-${++count}`)
  await mkdir(scratch)
  await world.newHome(account)
  const configFile = join(scratch, 'config')
  await writeFile(configFile, configuration({ ...target, login }, keyFile) + exchange)
  const own = { account: account.name, uid: account.uid, home: account.home, login }
  return { ...target, ...own, name, keyFile, ecdsaKeyFile, echo, scratch, configFile, beyond: { port: beyond } }
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

/**
 * An sshd configured as generously as the product: both password methods, language variables, many channels. It must not
 * be the bottleneck when rows run by the dozen: sshd's own limits (ten unauthenticated connections, ten sessions in one
 * connection) are far below.
 */
export const GENEROUS = [
  'StrictModes no',
  'UsePAM yes',
  'KbdInteractiveAuthentication yes',
  'AcceptEnv LANG LC_*',
  'MaxStartups 1000',
  'MaxSessions 1000',
  'Subsystem sftp /usr/lib/openssh/sftp-server',
]

/** The sshd to compare with. */
function startPeer({ device, keyFile, ecdsaKeyFile }: World): Promise<SshTarget> {
  return device.startSshd([
    `AuthorizedKeysFile ${keyFile}.pub ${ecdsaKeyFile}.pub`,
    // For clients that support no Ed25519.
    `HostKey ${join(device.folder, 'host_key_ecdsa')}`,
    ...GENEROUS,
  ])
}

function startWithAgent(world: World, stack: AsyncDisposableStack): Promise<SshTarget> {
  return startBowline(world, stack, {})
}

/** Starts one that listens on all addresses of this machine; no TLS for the agent, as if a proxy terminated it. */
export function startOnAllAddresses(world: World, stack: AsyncDisposableStack): Promise<SshTarget> {
  return startBowline(world, stack, { BOWLINE_HOST: '0.0.0.0', BOWLINE_TRUSTED_PROXIES: '192.0.2.1' })
}

async function startBowline(
  world: World,
  stack: AsyncDisposableStack,
  env: Readonly<Record<string, string>>,
): Promise<SshTarget> {
  const server = await startServer({ env })
  stack.defer(() => server.remove())
  const target = await world.device.startAgent(server, 'board')
  await registerKeys(world, await server.client())
  return target
}

/** Registers both keys of the world, for every device and account. */
export async function registerKeys({ keyFile, ecdsaKeyFile }: World, client: Client): Promise<void> {
  for (const file of [keyFile, ecdsaKeyFile]) {
    const data = (await readFile(`${file}.pub`)).toString('base64')
    const body = { name: basename(file), username: '.*', filter: { hostname: '.*' }, data }
    await client.call(operations.publicKeys.create, { body })
  }
}
