// Agent and server of different versions. A later version is simulated by shifting the version in the link's
// subprotocol name in transit; both ends are real.
import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent, untilOnline } from './support/agent.ts'
import { cleanups } from './support/cleanup.ts'
import { type Server, startServer } from './support/server.ts'
import { SHOWN, ssh } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

const NAME = /bowline\.link\.v(\d)/
let server: Server
let agent: Agent
/** By how many versions the server is ahead of the agent. */
let ahead = 0
const sockets = new Set<Socket>()
const undo = cleanups()

beforeAll(async () => {
  server = await startServer()
  undo(() => server.remove())
  agent = await startAgent({ ...server, origin: await startShift(new URL(server.origin)) }, 'versions')
  undo(() => agent.remove())
})
showOnFailure(() => ({ server: server.process, agent: agent.process }))

/** Relays to the server, and renames the subprotocol in both directions. @returns the origin for agents */
async function startShift(origin: URL): Promise<string> {
  const relay = createServer((near) => {
    const far = connect(Number(origin.port), origin.hostname)
    shift(near, far, () => -ahead)
    shift(far, near, () => ahead)
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  undo(() => {
    relay.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = relay.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

function shift(from: Socket, to: Socket, by: () => number): void {
  sockets.add(from)
  from.on('data', (chunk: Buffer) => {
    // One byte for one: all other bytes stay unchanged.
    const text = chunk.toString('latin1')
    to.write(
      text.replace(NAME, (_, version) => `bowline.link.v${Number(version) + by()}`),
      'latin1',
    )
  })
  from.on('error', () => undefined).on('close', () => to.destroy())
}

describe('version mismatch between agent and server', () => {
  it.each([
    { than: 'older', by: 1, theirs: 2, update: 'agent', asSeen: 'agent speaks version 0', updateThere: 'agent' },
    { than: 'newer', by: -1, theirs: 0, update: 'server', asSeen: 'agent speaks version 2', updateThere: 'server' },
  ])(
    'tells an agent $than than the server, and the server, what to update, and links once that is done',
    async (one) => {
      const before = agent.process.output().length
      const logged = server.process.output().length
      ahead = one.by
      for (const socket of sockets) socket.destroy()
      const told = `the server speaks version ${one.theirs} of the link, this agent version 1: update the ${one.update}`
      await until('the agent is told', () => agent.process.output().slice(before).includes(told))
      const line = `the ${one.asSeen} of the link, this server version 1: update the ${one.updateThere}`
      await until('the server tells its operator', () => server.process.output().slice(logged).includes(line))
      const { stderr } = await ssh(agent.target, ['true'], { options: SHOWN })
      expect(stderr).toContain('the device cannot be reached')

      ahead = 0
      await untilOnline(await server.client(), agent.device.uid)
      expect((await ssh(agent.target, ['echo linked'])).stdout.toString()).toBe('linked\n')
    },
  )
})
