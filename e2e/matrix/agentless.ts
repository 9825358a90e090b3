// Bowline's route to a device without an agent: its ssh client keeps a port of the gateway forwarded to its own SSH server,
// which is like the one to compare with: an sshd that trusts the namespace's certificate authority, or Dropbear.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { startServer } from '../support/server.ts'
import type { SshTarget } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { run } from '../support/running.ts'
import { GENEROUS, registerKeys } from './sites.ts'
import { tool } from './tool.ts'
import type { World } from './world.ts'

const { devices, installKeys, namespaces } = operations
const NAME = 'board'
/** The line that a device's answer prints for the file that TrustedUserCAKeys names. */
const AUTHORITY = /echo '(ssh-ed25519 [^']+)'/

export async function startAgentless(world: World, stack: AsyncDisposableStack): Promise<SshTarget> {
  const { device } = world
  const authority = join(device.folder, 'bowline_users.pub')
  // sshd reads the file at each login.
  await writeFile(authority, '')
  const own = await device.startSshd(
    [`TrustedUserCAKeys ${authority}`, 'AuthorizedKeysFile none', ...GENEROUS],
    'own-sshd',
  )
  const { target, said } = await enrol(world, stack, own.port)
  const line = await until('the device is told of the authority', () => AUTHORITY.exec(said())?.[1])
  await writeFile(authority, `${line}\n`)
  return target
}

/** A device whose own SSH server is Dropbear. It has the key of the namespace beside those of the person. */
export async function startAgentlessDropbear(world: World, stack: AsyncDisposableStack): Promise<SshTarget> {
  const { port } = await world.device.startDropbear('own-dropbear')
  const { target, client } = await enrol(world, stack, port)
  const { dropbear } = (await client.call(devices.userAuthority, {})).body
  const own = await Promise.all([world.keyFile, world.ecdsaKeyFile].map((file) => readFile(`${file}.pub`, 'utf8')))
  world.authorizedKeys = [`${dropbear.public_key}\n`, ...own].join('')
  return target
}

/** Dropbear itself, to compare with. Each site takes what the other takes: the homes are the same. */
export async function startPlainDropbear(world: World): Promise<SshTarget> {
  return world.device.startDropbear('dropbear')
}

/** @param port of the device's SSH server */
async function enrol(world: World, stack: AsyncDisposableStack, port: number) {
  const { device } = world
  const identity = join(device.folder, 'device_key')
  await tool(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', identity])
  const server = await startServer()
  stack.defer(() => server.remove())
  const client = await server.client()
  await registerKeys(world, client)
  const body = { name: NAME, tags: [], accepts: true }
  const { key } = (await client.call(installKeys.create, { body })).body
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentitiesOnly=yes']
  const ssh = ['ssh', '-F', 'none', '-tt', '-i', identity, '-p', String(server.ssh.port)]
  const forward = ['-R', `0:127.0.0.1:${port}`, `${key}.${NAME}@${server.ssh.host}`]
  const connection = run([...ssh, ...options.flatMap((option) => ['-o', option]), ...forward], {})
  stack.defer(async () => void (await connection.end()))
  await until('the device is online', async () => {
    const { body: found } = await client.call(devices.list, { query: { status: 'accepted' } })
    return found.some(({ name, online }) => name === NAME && online)
  })
  const { body: namespace } = await client.call(namespaces.get, { params: { tenant: server.tenant } })
  const { account } = device
  const target = { ...server.ssh, login: `${account.name}@${namespace.name}.${NAME}`, password: account.password }
  return { target, client, said: () => connection.output() }
}
