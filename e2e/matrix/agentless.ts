// Bowline's route to a device without an agent: its ssh client keeps a port of the gateway forwarded to its own sshd, which
// is configured like the one to compare with and trusts the namespace's certificate authority.
import { writeFile } from 'node:fs/promises'
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
  const [identity, authority] = [join(device.folder, 'device_key'), join(device.folder, 'bowline_users.pub')]
  await tool(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', identity])
  // sshd reads the file at each login.
  await writeFile(authority, '')
  const own = await device.startSshd(
    [`TrustedUserCAKeys ${authority}`, 'AuthorizedKeysFile none', ...GENEROUS],
    'own-sshd',
  )
  const server = await startServer()
  stack.defer(() => server.remove())
  const client = await server.client()
  await registerKeys(world, client)
  const body = { name: NAME, tags: [], accepts: true }
  const { key } = (await client.call(installKeys.create, { body })).body
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentitiesOnly=yes']
  const ssh = ['ssh', '-F', 'none', '-tt', '-i', identity, '-p', String(server.ssh.port)]
  const forward = ['-R', `0:127.0.0.1:${own.port}`, `${key}.${NAME}@${server.ssh.host}`]
  const connection = run([...ssh, ...options.flatMap((option) => ['-o', option]), ...forward], {})
  stack.defer(async () => void (await connection.end()))
  const line = await until('the device is told of the authority', () => AUTHORITY.exec(connection.output())?.[1])
  await writeFile(authority, `${line}\n`)
  await until('the device is online', async () => {
    const { body: found } = await client.call(devices.list, { query: { status: 'accepted' } })
    return found.some(({ name, online }) => name === NAME && online)
  })
  const { body: namespace } = await client.call(namespaces.get, { params: { tenant: server.tenant } })
  const { account } = device
  return { ...server.ssh, login: `${account.name}@${namespace.name}.${NAME}`, password: account.password }
}
