// Thundering herd: many agents lose their server at once and reconnect. None is lost, none is counted twice, and people
// get in meanwhile.
import { operations } from '@bowline/contract/operations'
import { startFleet } from '@bowline/testkit/fleet/fleet'
import { startAgent } from '../support/agent.ts'
import { type Client, startServer } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { showWhenThisFails } from '../support/failure-output.ts'
import { until } from '../support/wait.ts'

const AT_ONCE = 8

/**
 * @param count of simulated agents, besides a real one
 * @returns how many devices are accepted and online at the end
 */
export async function herdComesBack(count: number): Promise<{ registered: number; online: number }> {
  await using undo = new AsyncDisposableStack()
  const server = await startServer()
  undo.defer(() => server.remove())
  const agent = await startAgent(server, 'one-of-many')
  undo.defer(() => agent.remove())
  showWhenThisFails(() => ({ server: server.process, agent: agent.process }))
  const fleet = undo.use(await startFleet())
  await fleet.do({ type: 'register', origin: server.origin, tenant: server.tenant, count })
  await acceptAll(await server.client(), count)
  await fleet.do({ type: 'link', origin: server.origin, count })
  const counted = () => until('the server counts all', async () => (await linkCount(server.origin)) === count + 1)
  await counted()

  await server.process.end('SIGKILL')
  await server.start()
  const meanwhile = until('a person gets in', async () => {
    const { stdout } = await ssh(agent.target, ['echo in'])
    return stdout.toString() === 'in\n'
  })
  await fleet.do({ type: 'relinked' })
  await Promise.all([counted(), meanwhile])
  const { call } = await server.client()
  const { body } = await call(operations.stats.get, {})
  return { registered: body.registered_devices, online: body.online_devices }
}

async function acceptAll({ call }: Client, count: number): Promise<void> {
  const pending = new Set<string>()
  const page = async (number: number): Promise<void> => {
    const query = { status: 'pending' as const, per_page: '100', page: String(number) }
    for (const { uid } of (await call(operations.devices.list, { query })).body) pending.add(uid)
  }
  for (let number = 1; number <= Math.ceil(count / 100); number += 1) await page(number)
  const waiting = [...pending]
  const work = async (): Promise<void> => {
    for (let uid = waiting.pop(); uid !== undefined; uid = waiting.pop()) {
      await call(operations.devices.setStatus, { params: { uid, status: 'accept' } })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function linkCount(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  return Number(/^bowline_agents (\d+)$/m.exec(text)?.[1])
}
