// The lease of this server process: a row that it renews every second. Whatever names this node in the database (links of
// devices, sessions, jobs) holds for as long as the row is renewed. Nodes whose row is not are found out by the others.
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId } from '@bowline/contract/schemas/common'
import { BackgroundLoop } from '@bowline/base/background-loop'
import type { Clock } from '@bowline/base/clock'
import { PendingSet } from '@bowline/base/pending-set'
import type { Kysely } from 'kysely'
import { endTransactionsOf } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import { type LeaseAnswer, createCutOff } from './cut-off.ts'
import { twinText } from './twin.ts'
import {
  type Heartbeat,
  type NodeRun,
  type NodeState,
  forgetLostNodes,
  loseNode,
  putNode,
  reenterNode,
  releaseJobs,
  removeNode,
  renewNode,
} from './store.ts'

export type { NodeState } from './store.ts'

/** Between heartbeats of a node that has others beside it. */
const HEARTBEAT_MS = 1_000
/** Between heartbeats of a node that runs by itself: only presence depends on them. */
const LONE_HEARTBEAT_MS = 5_000
/** A node without a heartbeat for this long is lost. */
const DEAD_MS = LIMITS.nodes.deadSeconds * 1_000
/** Without a heartbeat for this long a node's own are not steady any more. */
const GAP_MS = DEAD_MS / 2
const FORGET_INTERVAL_MS = 3_600_000

export interface NodeLeaseDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  /** This run; its address is '' where the node runs by itself. */
  readonly run: NodeRun
  readonly state: () => Omit<Heartbeat, 'draining'>
  /** Closes what a lost node had held, in the transaction that takes its lease. */
  readonly bury: (db: Kysely<Schema>, node: string) => Promise<void>
  /** A node has been buried, by this one. */
  readonly buried: (node: string) => void
  /** Others have taken over what this node holds, or are about to: it is not its own any more. */
  readonly fenced: () => void
  /** Another process runs as this node: one of the two must stop. */
  readonly displaced: (error: Error) => void
  /** Asks the other nodes for how long they have renewed their leases. */
  readonly askOthers: () => Promise<readonly LeaseAnswer[]>
  /** Called after each heartbeat. */
  readonly beaten: () => void
}

export interface NodeLease {
  readonly id: string
  /** Writes the row. Rejects when the database does. */
  start(): Promise<void>
  /** The other nodes that are alive, as of the last heartbeat. */
  readonly others: readonly NodeState[]
  /** True if the node is alive, or is this one. */
  isAlive(node: string): boolean
  /** True while this node is cut off from the database and others are not: it must not serve. */
  readonly isCutOff: boolean
  /** For how long this node has renewed its row without a gap in which others might have counted it as lost; 0 if it cannot. */
  readonly steadyMs: number
  /** True if somebody may read the namespace's live events at another node. */
  isListenedToElsewhere(tenant: TenantId): boolean
  /** Renews the row and reads the others' now. Resolves afterwards, also after a failure. */
  refresh(): Promise<void>
  /** Tells the others that this node is stopping. */
  drain(): Promise<void>
  /** Removes the row. */
  close(): Promise<void>
}

export function createNodeLease(deps: NodeLeaseDeps): NodeLease {
  const { db, clock, log, run } = deps
  const isLone = run.address === ''
  let others: readonly NodeState[] = []
  let draining = false
  let stopped = false
  let stopTimers = (): void => undefined
  let beatenAt = clock.monotonic()
  /** Since when this node has renewed its row without a gap in which others might have counted it as lost. */
  let steadySince = clock.monotonic()
  const waiting: (() => void)[] = []
  /** Lives of nodes that are being buried. */
  const underWay = new Set<string>()
  const burials = new PendingSet((error) => log.error('node.error', { err: error }))
  const cutOff = createCutOff({
    clock,
    deadMs: DEAD_MS,
    renewedAt: () => beatenAt,
    askOthers: deps.askOthers,
    cut() {
      log.error('node.fenced', { node: run.id, reason: 'cut off from the database' })
      deps.fenced()
    },
  })

  async function beat(): Promise<void> {
    const asked = clock.monotonic()
    const { renewed, nodes } = await renewNode(db, run, { ...deps.state(), draining })
    if (clock.monotonic() - beatenAt > GAP_MS) steadySince = clock.monotonic()
    beatenAt = asked
    // After an outage of the database every heartbeat is old: a node judges others only when it has seen them fail to
    // renew while it could.
    const judges = clock.monotonic() - steadySince >= DEAD_MS
    const isDead = ({ ageMs }: NodeState): boolean => judges && ageMs >= DEAD_MS
    const theirs = nodes.filter(({ id }) => id !== run.id)
    others = theirs.filter((node) => !isDead(node))
    if (!renewed && !stopped && !(await reenter())) return
    if (cutOff.isCut) log.info('node.entered', { node: run.id, address: run.address, version: run.version })
    cutOff.renewed()
    for (const { id, life } of theirs.filter(isDead)) startBurial(id, life)
  }

  /** Beside the heartbeats, which must not wait for it: closing what a node had held may take long. */
  function startBurial(id: string, life: string): void {
    if (underWay.has(life)) return
    underWay.add(life)
    burials.track(bury(id, life).finally(() => underWay.delete(life)))
  }

  async function bury(id: string, life: string): Promise<void> {
    const isMine = await db.transaction().execute(async (transaction) => {
      if (!(await loseNode(transaction, id, life, DEAD_MS))) return false
      // One that stands still, or whose connection broke without a word, may hold locks on what others are to take over.
      await endTransactionsOf(db, life)
      await deps.bury(transaction, id)
      await releaseJobs(transaction, id)
      return true
    })
    if (!isMine) return
    log.warn('node.buried', { node: id })
    deps.buried(id)
  }

  /** @returns false when another process has the row */
  async function reenter(): Promise<boolean> {
    // A node that was cut off holds nothing any more.
    if (!cutOff.isCut) {
      log.error('node.fenced', { node: run.id, reason: 'lost' })
      // First: until then devices that others have taken over would count as this node's again.
      deps.fenced()
    }
    if (await reenterNode(db, run)) return true
    deps.displaced(new Error(twinText(run.id)))
    return false
  }

  const loop = new BackgroundLoop(async () => {
    const answered = waiting.splice(0)
    await beat().catch((error: unknown) => log.error('node.error', { err: error }))
    for (const resolve of answered) resolve()
    if (!stopped) deps.beaten()
  })

  function refresh(): Promise<void> {
    if (stopped) return Promise.resolve()
    return new Promise((resolve) => {
      waiting.push(resolve)
      loop.wake()
    })
  }

  return {
    id: run.id,
    async start() {
      await putNode(db, run)
      log.info('node.entered', { node: run.id, address: run.address, version: run.version })
      await refresh()
      const stops = [
        clock.every(isLone ? LONE_HEARTBEAT_MS : HEARTBEAT_MS, () => loop.wake()),
        clock.every(FORGET_INTERVAL_MS, () => {
          forgetLostNodes(db).catch((error: unknown) => log.error('node.error', { err: error }))
        }),
      ]
      stopTimers = () => stops.forEach((stop) => stop())
    },
    get others() {
      return others
    },
    isAlive: (node) => node === run.id || others.some(({ id }) => id === node),
    isListenedToElsewhere: (tenant) => others.some(({ listening }) => listening === null || listening.includes(tenant)),
    get isCutOff() {
      return cutOff.isCut
    },
    get steadyMs() {
      return clock.monotonic() - beatenAt > GAP_MS ? 0 : clock.monotonic() - steadySince
    },
    refresh,
    async drain() {
      draining = true
      await refresh()
    },
    async close() {
      stopped = true
      stopTimers()
      cutOff.stop()
      await loop.stop()
      await burials.drain()
      for (const resolve of waiting.splice(0)) resolve()
      await releaseJobs(db, run.id)
      await removeNode(db, run)
    },
  }
}
