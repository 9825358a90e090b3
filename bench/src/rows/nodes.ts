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
import { countedByServer, watchStalls } from './restart.ts'

const PASSWORD = 'password-of-the-nodes'
/** Covers each periodic task of links and nodes several times; registrations, every ten minutes, come in their share. */
const IDLE_MS = 60_000
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
  const each = (work: (fleet: Fleet, origin: string) => Promise<unknown>) =>
    Promise.all(fleets.map((fleet, at) => work(fleet, at === 0 ? site.origin : other.origin)))
  options.say(`nodes: registering ${2 * half} agents`)
  await each((fleet, origin) => fleet.do({ type: 'register', origin, tenant: site.tenant, count: half }))
  // The agents of both fleets have the same names.
  postgres.sql("update devices set status = 'accepted', name = 'device-' || left(uid, 16)", 'bowline')
  await each((fleet, origin) => fleet.do({ type: 'link', origin, count: half }))

  const idle: Idle[] = []
  const back: number[] = []
  const stall: number[] = []
  for (let repeat = 0; repeat < options.repeats; repeat += 1) {
    await pause(SETTLE_MS)
    idle.push(await measureIdle(postgres, [site, other], 2 * half))
    options.say(`nodes: ${JSON.stringify(idle.at(-1))}`)
    await Promise.all([site.stop(), other[Symbol.asyncDispose]()])
    await site.start()
    other = await start()
    const begun = performance.now()
    const storm = new AbortController()
    const worst = [site, other].map(({ origin }) => watchStalls(origin, storm.signal))
    await each((fleet) => fleet.do({ type: 'relinked' }))
    await Promise.all([site, other].map(({ origin }) => countedByServer(origin, half)))
    back.push((performance.now() - begun) / 1_000)
    storm.abort()
    stall.push(Math.max(...(await Promise.all(worst))))
    options.say(`nodes: back in ${back.at(-1)?.toFixed(1)} s, worst stall ${stall.at(-1)?.toFixed(0)} ms`)
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
  const of = (name: keyof Idle): number[] => idle.map((one) => one[name])
  return [
    row('cpu', 'CPU of both servers per idle agent and hour', 'ms', of('cpu')),
    row('memory', `memory of both servers per agent, with ${2 * half} of them`, 'KB', of('memory')),
    row('transactions', 'transactions of the database per idle agent and hour', 'count', of('transactions')),
    row('wal', 'log of the database per idle agent and hour', 'KB', of('wal')),
    row('back', `${2 * half} agents back after both nodes have restarted`, 'seconds', back, TARGETS.nodes.back),
    row('stall', 'longest stall of an event loop meanwhile', 'ms', stall, TARGETS.restart.stall),
  ]
}

/** Per agent; all but memory for an hour. */
interface Idle {
  /** Milliseconds. */
  readonly cpu: number
  /** KB of anonymous memory, what the processes need without agents included. */
  readonly memory: number
  readonly transactions: number
  readonly wal: number
}

async function measureIdle(postgres: Postgres, nodes: readonly Pick<Site, 'server'>[], agents: number): Promise<Idle> {
  const read = async () => {
    const [wal = '', transactions = ''] = postgres
      .sql(
        `select pg_current_wal_lsn() - '0/0', (select sum(xact_commit) from pg_stat_database where datname = 'bowline')`,
      )
      .split('|')
    const used = await Promise.all(nodes.map(({ server }) => cpuSeconds(server.pid)))
    return { at: performance.now(), wal: Number(wal), transactions: Number(transactions), cpu: sum(used) }
  }
  const before = await read()
  await pause(IDLE_MS)
  const after = await read()
  const perHour = HOUR_MS / (after.at - before.at) / agents
  const memory = await Promise.all(nodes.map(async ({ server }) => (await memoryOf(server.pid)).anonymous))
  return {
    cpu: (after.cpu - before.cpu) * 1e3 * perHour,
    memory: sum(memory) / agents / 1e3,
    transactions: (after.transactions - before.transactions) * perHour,
    wal: ((after.wal - before.wal) * perHour) / 1e3,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
