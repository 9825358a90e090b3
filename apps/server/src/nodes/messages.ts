// What nodes tell each other: rows of one table, read by each node in the order of their transactions. NOTIFY wakes the
// readers; that they look every second in any case is what delivers.
import { BackgroundLoop } from '@bowline/base/background-loop'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import { DatabaseError } from 'pg'
import type { JsonObject, Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import { forgetMessages, newestMessage, readMessages, writeMessages } from './store.ts'

export { WAKE_CHANNEL } from './store.ts'

const POLL_MS = 1_000
/** In one statement. */
const BATCH = 200
/** Messages that wait for the database. Above it the others are told that they missed some. */
const MAX_QUEUED = 10_000
/** Messages are kept for this long. */
const KEPT_SECONDS = 600
/** A node that has not looked for this long may have missed some. */
const MISSED_AFTER_MS = (KEPT_SECONDS * 1_000) / 2
const FORGET_INTERVAL_MS = 60_000

export interface NodeMessagesDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly node: string
  /** Applies what another node has told. What it throws is logged. */
  readonly apply: (body: JsonObject) => void
  /** Messages were lost: whatever follows from them must be read anew. Also what other nodes are told then. */
  readonly missed: () => void
  readonly missedMessage: JsonObject
  /** Wakes the other nodes by other means than NOTIFY, while it can. */
  readonly waker: { readonly isReady: boolean; wake(): Promise<boolean> } | undefined
}

export interface NodeMessages {
  /** Begins to read what is written from now on. Rejects when the database does. */
  start(): Promise<void>
  /** Tells the other nodes. What the database does not take yet is kept and tried again. */
  publish(body: JsonObject): void
  /** Looks now. */
  wake(): void
  /** Another server has taken the database's place: whatever was written last may be missing there. */
  replaced(): void
  /** Writes what is queued, then reads no more. */
  close(): Promise<void>
}

/** True for an error that is due to the data itself (SQLSTATE class 22): the same statement can never succeed. */
function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && error.code?.startsWith('22') === true
}

export function createNodeMessages(deps: NodeMessagesDeps): NodeMessages {
  const { db, clock, log, node } = deps
  let queue: JsonObject[] = []
  let last = 0
  /** Ids may be given a second time, by a standby that had not received everything: later ones that were read say nothing. */
  let isAnew = false
  let lookedAt = clock.monotonic()
  let stopTimers = (): void => undefined

  async function write(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH)
      const waker = deps.waker?.isReady === true ? deps.waker : undefined
      await writeMessages(db, node, batch, waker === undefined).catch((error: unknown) => writeSingly(batch, error))
      queue = queue.slice(batch.length)
      // Those who miss it look every second.
      await waker?.wake()
    }
  }

  /** One message that the database never takes must not keep the others from being told. */
  async function writeSingly(batch: readonly JsonObject[], refusal: unknown): Promise<void> {
    if (!isRefusal(refusal)) throw refusal
    for (const body of batch) {
      await writeMessages(db, node, [body], true).catch((error: unknown) => {
        if (!isRefusal(error)) throw error
        log.error('node.error', {
          reason: 'a message to other nodes cannot be stored',
          type: String(body['type']),
          err: error,
        })
      })
    }
  }

  async function read(): Promise<void> {
    if (isAnew || clock.monotonic() - lookedAt > MISSED_AFTER_MS) {
      isAnew = false
      last = await newestMessage(db).catch((error: unknown) => {
        isAnew = true
        throw error
      })
      deps.missed()
    }
    lookedAt = clock.monotonic()
    for (;;) {
      const messages = await readMessages(db, last, BATCH)
      for (const message of messages) {
        last = message.id
        if (message.node !== node) apply(message.body)
      }
      if (messages.length < BATCH) return
    }
  }

  function apply(body: JsonObject): void {
    try {
      deps.apply(body)
    } catch (error) {
      log.error('node.error', { reason: 'a message of another node', type: String(body['type']), err: error })
    }
  }

  const failed = (error: unknown): void => log.error('node.error', { err: error })
  const loop = new BackgroundLoop(async () => {
    await write().catch(failed)
    await read().catch(failed)
  })

  return {
    async start() {
      last = await newestMessage(db)
      lookedAt = clock.monotonic()
      const stops = [
        clock.every(POLL_MS, () => loop.wake()),
        clock.every(FORGET_INTERVAL_MS, () => void forgetMessages(db, KEPT_SECONDS).catch(failed)),
      ]
      stopTimers = () => stops.forEach((stop) => stop())
    },
    publish(body) {
      if (queue.length >= MAX_QUEUED) queue = [deps.missedMessage]
      else queue.push(body)
      loop.wake()
    },
    wake: () => loop.wake(),
    replaced: () => (isAnew = true),
    async close() {
      stopTimers()
      await loop.stop()
      await write().catch(failed)
    },
  }
}
