// Many idle agents on two nodes of one installation: what they cost while nothing happens, and how long they are away when
// both nodes restart.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Fleet, startFleet } from '@bowline/testkit/fleet/fleet'
import { type Postgres, startPostgres } from '../../../e2e/support/postgres.ts'
import { cpuSeconds, memoryOf } from '../measure/proc.ts'
import { spreadOf } from '../measure/statistics.ts'
import type { BenchOptions } from '../options.ts'
import type { Row, Target, Unit } from '../row.ts'
import { type Site, type SiteNode, startSite } from '../site/site.ts'
import { freePort } from '../site/sockets.ts'
import { TARGETS } from '../targets.ts'
import { countedByServer, tell, watchStalls } from './restart.ts'

const PASSWORD = 'password-of-the-nodes'
/** Covers each periodic task of links and nodes several times, but no registrations. */
const IDLE_MS = 60_000
/** Registrations of an agent in an hour: one every ten minutes. */
const REGISTRATIONS_PER_HOUR = 6
/** A link that has stood for this long is connected again without the backoff of an unsettled one. */
const SETTLE_MS = 31_000
const HOUR_MS = 3_600_000

export async function measureNodes(options: BenchOptions): Promise<Row[]> {
  await using parts = new AsyncDisposableStack()
  const postgres = await startPostgres()
  parts.defer(() => postgres.stop())
  postgres.sql(`create role bowline login createrole password '${PASSWORD}'`)
  postgres.sql('create database bowline owner bowline')
  const folder = join(options.folder, 'nodes')
  const settings = {
    BOWLINE_DATABASE_URL: postgres.url('bowline', PASSWORD, 'bowline'),
    BOWLINE_SECRET_KEY: 'ab'.repeat(32),
    BOWLINE_NODE_SECRET: 'secret of both nodes',
    BOWLINE_RECORDINGS_DIR: join(folder, 'recordings'),
  }
  const address = async () => ({ BOWLINE_NODE_ADDRESS: `127.0.0.1:${await freePort()}` })
  const site = parts.use(await startSite({ folder, settings: { ...settings, ...(await address()) } }))
  const otherFolder = join(options.folder, 'nodes-other')
  await mkdir(otherFolder, { recursive: true, mode: 0o711 })
  const ports = { BOWLINE_HTTP_PORT: String(await freePort()), BOWLINE_SSH_PORT: String(await freePort()) }
  const own = { ...ports, ...(await address()) }
  const start = (): Promise<SiteNode> => site.join(otherFolder, own)
  let other = await start()
  parts.defer(() => other[Symbol.asyncDispose]())

  const half = Math.floor(options.agents / 2)
  const fleets = [parts.use(await startFleet()), parts.use(await startFleet())]
  const each = <T>(work: (fleet: Fleet, origin: string) => Promise<T>): Promise<T[]> =>
    Promise.all(fleets.map((fleet, at) => work(fleet, at === 0 ? site.origin : other.origin)))
  options.say(`nodes: registering ${2 * half} agents`)
  await each((fleet, origin) => fleet.do({ type: 'register', origin, tenant: site.tenant, count: half }))
  // The agents of both fleets have the same names.
  postgres.sql("update devices set status = 'accepted', name = 'device-' || left(uid, 16)", 'bowline')
  await each((fleet, origin) => fleet.do({ type: 'link', origin, count: half }))

  const idle: (Used & { memory: number })[] = []
  const registered: Used[] = []
  const back: number[] = []
  const stall: number[] = []
  for (let repeat = 0; repeat < options.repeats; repeat += 1) {
    await pause(SETTLE_MS)
    idle.push(await measureIdle(postgres, [site, other], 2 * half))
    const nodes = [site, other]
    registered.push(
      await used(postgres, nodes, 2 * half, () =>
        each((fleet, origin) => fleet.do({ type: 'register-again', origin })),
      ),
    )
    options.say(`nodes: idle ${JSON.stringify(idle.at(-1))}, a registration ${JSON.stringify(registered.at(-1))}`)
    await Promise.all([site.stop(), other[Symbol.asyncDispose]()])
    await site.start()
    other = await start()
    const begun = performance.now()
    const storm = new AbortController()
    const worst = [site, other].map(({ origin }) => watchStalls(origin, storm.signal))
    const failures = await each((fleet) => fleet.do({ type: 'relinked' }))
    await Promise.all([site, other].map(({ origin }) => countedByServer(origin, half)))
    back.push((performance.now() - begun) / 1_000)
    storm.abort()
    stall.push(Math.max(...(await Promise.all(worst))))
    options.say(
      `nodes: back in ${back.at(-1)?.toFixed(1)} s, worst stall ${stall.at(-1)?.toFixed(0)} ms; ${failures.map(tell).join('; ')}`,
    )
  }
  const row = (id: string, work: string, unit: Unit, samples: readonly number[], target?: Target): Row => ({
    id: `nodes.${id}`,
    work,
    peer: '',
    unit,
    measured: spreadOf(samples),
    ...(target ? { target } : {}),
    note: '',
    samples: { [unit]: samples },
  })
  const ofBoth = (name: keyof Used): number[] =>
    idle.map((one, at) => one[name] + (registered[at]?.[name] ?? Number.NaN) * REGISTRATIONS_PER_HOUR)
  const memory = idle.map((one) => one.memory)
  return [
    row('cpu', 'CPU of both servers per agent and hour', 'ms', ofBoth('cpu')),
    row(
      'cpu.registration',
      'of which a registration',
      'ms',
      registered.map(({ cpu }) => cpu),
    ),
    row('memory', `memory of both servers per agent, with ${2 * half} of them`, 'KB', memory),
    row('transactions', 'transactions of the database per agent and hour', 'count', ofBoth('transactions')),
    row('wal', 'log of the database per agent and hour', 'KB', ofBoth('wal')),
    row('back', `${2 * half} agents back after both nodes have restarted`, 'seconds', back, TARGETS.nodes.back),
    row('stall', 'longest stall of an event loop meanwhile', 'ms', stall, TARGETS.restart.stall),
  ]
}

/** Per agent. */
interface Used {
  /** Milliseconds of both servers. */
  readonly cpu: number
  readonly transactions: number
  /** KB of write-ahead log. */
  readonly wal: number
}

type Nodes = readonly Pick<Site, 'server'>[]

/** For an hour, without registrations; KB of anonymous memory, with what the processes need without agents. */
async function measureIdle(postgres: Postgres, nodes: Nodes, agents: number): Promise<Used & { memory: number }> {
  const begun = performance.now()
  const { cpu, transactions, wal } = await used(postgres, nodes, agents, () => pause(IDLE_MS))
  const hours = (performance.now() - begun) / HOUR_MS
  const memory = await Promise.all(nodes.map(async ({ server }) => (await memoryOf(server.pid)).anonymous))
  return { cpu: cpu / hours, transactions: transactions / hours, wal: wal / hours, memory: sum(memory) / agents / 1e3 }
}

async function used(postgres: Postgres, nodes: Nodes, agents: number, work: () => Promise<unknown>): Promise<Used> {
  const read = async () => {
    const [wal = '', transactions = ''] = postgres
      .sql(
        `select pg_current_wal_lsn() - '0/0', (select sum(xact_commit) from pg_stat_database where datname = 'bowline')`,
      )
      .split('|')
    const cpu = sum(await Promise.all(nodes.map(({ server }) => cpuSeconds(server.pid))))
    return { wal: Number(wal), transactions: Number(transactions), cpu }
  }
  const before = await read()
  await work()
  const after = await read()
  return {
    cpu: ((after.cpu - before.cpu) * 1e3) / agents,
    transactions: (after.transactions - before.transactions) / agents,
    wal: (after.wal - before.wal) / agents / 1e3,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
