// Several server processes of one installation on one PostgreSQL, and a TCP balancer in front of their HTTP ports that a
// test can turn.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type Socket, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { type Server, startServer } from '../support/server.ts'
import { until } from '../support/wait.ts'

const PASSWORD = 'password-of-the-login'

/** The way to the database. */
export interface DatabaseDoor {
  readonly port: number
  /** `BOWLINE_DATABASE_URL` by a proxy at this port. */
  readonly url: (port: number) => string
}

export interface Cluster {
  readonly postgres: Postgres
  readonly nodes: readonly Server[]
  /** As a server for agents: its origin is the balancer. */
  readonly balanced: Server
  /** Sends new connections to the nodes in this order of preference. */
  prefer(order: readonly number[]): void
  /** Id of a node in the database. */
  id(index: number): string
  /** Settings of a node, for commands beside it. */
  settings(index: number): Readonly<Record<string, string>>
  remove(): Promise<void>
}

/**
 * Starts nodes and waits until each has a link with each other.
 * @param env of all nodes
 * @param own settings of one node; called before it starts
 * @param checkout folder with another version of the product
 */
export async function startCluster(
  count: number,
  env: Readonly<Record<string, string>> = {},
  own: (index: number, database: DatabaseDoor) => Promise<Record<string, string>> = async () => ({}),
  checkout?: string,
): Promise<Cluster> {
  const postgres = await startPostgres()
  postgres.sql(`create role bowline login createrole password '${PASSWORD}'`)
  postgres.sql('create database bowline owner bowline')
  const recordings = await mkdtemp(join(tmpdir(), 'bowline-e2e-recordings-'))
  const through = (port: number): string => postgres.url('bowline', PASSWORD, 'bowline', port)
  const shared = {
    BOWLINE_DATABASE_URL: through(postgres.port),
    BOWLINE_SECRET_KEY: randomBytes(32).toString('hex'),
    BOWLINE_NODE_SECRET: 'secret of all the nodes',
    BOWLINE_RECORDINGS_DIR: recordings,
    ...env,
  }
  const nodes: Server[] = []
  const settings: Record<string, string>[] = []
  for (let index = 0; index < count; index += 1) {
    const address = { BOWLINE_NODE_ADDRESS: `127.0.0.1:${await freePort()}` }
    const all = { ...shared, ...address, ...(await own(index, { port: postgres.port, url: through })) }
    const node = await startServer({ env: all, ...(checkout !== undefined && { checkout }) })
    nodes.push(node)
    settings.push({ ...all, BOWLINE_DATA_DIR: node.dataFolder })
  }
  const ids = nodes.map(({ process }) => /"ev":"node.entered","node":"([^"]+)"/.exec(process.output())?.[1] ?? '')
  await until('every node has a link with every other', () =>
    nodes.every(({ process }) => process.countOf('node.linked') >= count - 1),
  )
  const balancer = await startBalancer(nodes.map(({ origin }) => Number(new URL(origin).port)))
  const [first] = nodes
  if (!first) throw new Error('a cluster has a node')
  return {
    postgres,
    nodes,
    balanced: { ...first, origin: `http://127.0.0.1:${balancer.port}`, client: () => first.client() },
    prefer: balancer.prefer,
    id: (index) => ids[index] ?? '',
    settings: (index) => settings[index] ?? {},
    async remove() {
      balancer.close()
      for (const node of nodes) await node.remove()
      await postgres.stop()
      await rm(recordings, { recursive: true, force: true })
    },
  }
}

/** Passes each connection to the first node that takes it. */
async function startBalancer(ports: readonly number[]) {
  let order: readonly number[] = ports.map((_, index) => index)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => undefined).on('close', () => sockets.delete(client))
    attempt(client, [...order])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  function attempt(client: Socket, [next, ...others]: readonly number[]): void {
    const port = next === undefined ? undefined : ports[next]
    if (port === undefined) return void client.destroy()
    const upstream = connect(port, '127.0.0.1')
    const failed = (): void => attempt(client, others)
    upstream.once('error', failed)
    upstream.once('connect', () => {
      upstream.off('error', failed).on('error', () => client.destroy())
      client.pipe(upstream).pipe(client)
      client.on('close', () => upstream.destroy())
      upstream.on('close', () => client.destroy())
    })
  }
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    prefer: (wanted: readonly number[]) => void (order = wanted),
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
