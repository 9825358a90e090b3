// Bowline's route to a container instead of a device with an agent. The container has the programs, accounts and homes of
// the device that the plain sshd serves, and its network: what differs is the route alone.
import { operations } from '@bowline/contract/operations'
import { startContainerEngine } from '@bowline/testkit/container-engine'
import { startServer } from '../support/server.ts'
import type { SshTarget } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { registerKeys } from './sites.ts'
import type { World } from './world.ts'

const { connectors, containers, namespaces } = operations
const SYSTEM = ['/usr/bin:/bin', '/usr/sbin:/sbin', '/usr/lib:/lib', '/usr/lib64:/lib64', '/usr:/usr']

export async function startWithContainer(world: World, stack: AsyncDisposableStack): Promise<SshTarget> {
  const { folder, etc, account } = world.device
  const engine = await startContainerEngine()
  stack.defer(() => engine.close())
  const volumes = [...SYSTEM.map((volume) => `${volume}:ro`), `${etc}:/etc`, `${folder}:${folder}`]
  await engine.run('board', ...volumes.flatMap((volume) => ['-v', volume]))
  const server = await startServer({ env: { BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32' } })
  stack.defer(() => server.remove())
  const client = await server.client()
  await registerKeys(world, client)
  const body = { enable: true, address: engine.host, port: engine.port, secure: false }
  await client.call(connectors.create, { body })
  const { uid } = await until('the container is there', async () => {
    const { body: found } = await client.call(containers.list, { query: { status: 'pending' } })
    return found.find(({ name }) => name === 'board')
  })
  await client.call(containers.setStatus, { params: { uid, status: 'accept' } })
  const { body: namespace } = await client.call(namespaces.get, { params: { tenant: server.tenant } })
  return { ...server.ssh, login: `${account.name}@${namespace.name}.board`, password: account.password }
}
