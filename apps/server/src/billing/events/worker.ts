// Applies the provider's events and ends subscriptions of removed namespaces. Each is done at least once; doing it twice
// changes nothing. Several processes share the work by leases.
import { BackgroundLoop } from '@bowline/base/background-loop'
import { findAccountOf } from '../accounts-store.ts'
import type { BillingDeps } from '../deps.ts'
import { noProvider } from '../provider/missing.ts'
import { syncAccount } from '../sync.ts'
import {
  type EventRow,
  deleteEnding,
  forgetEvents,
  leaseEndings,
  leaseEvents,
  markApplied,
  postponeEnding,
  postponeEvents,
} from './store.ts'

const BATCH = 100
/** Longer than a batch takes, in milliseconds. */
const LEASE_MS = 300_000
/** Between two looks, in milliseconds. */
const INTERVAL_MS = 30_000
const RETRY_MS = { first: 30_000, most: 3_600_000 }
/** Applied events can be replayed for this long, in milliseconds. */
const KEPT_MS = 90 * 86_400_000
const MAX_TEXT = 300

export interface EventWorker {
  wake(): void
  stop(): Promise<void>
}

/** @param applied called after subscriptions have changed */
export function startEvents(deps: BillingDeps, applied: () => void): EventWorker {
  const { system, clock, log } = deps
  const stopping = new AbortController()
  const lease = () => {
    const now = clock.now()
    return { now: new Date(now), until: new Date(now + LEASE_MS), limit: BATCH }
  }
  const loop = new BackgroundLoop(async () => {
    try {
      while (!stopping.signal.aborted && (await applyDue())) applied()
      while (!stopping.signal.aborted && (await endDue()));
      await forgetEvents(system, new Date(clock.now() - KEPT_MS))
    } catch (error) {
      log.error('billing.error', { err: error })
    }
  })

  /** Events of one customer need one read. */
  async function applyDue(): Promise<boolean> {
    const events = Map.groupBy(await leaseEvents(system, lease()), ({ customer_id: customer }) => customer)
    for (const [customer, same] of events) {
      const ids = same.map(({ id }) => id)
      try {
        const account = customer === '' ? undefined : await findAccountOf(system, customer)
        if (account) await syncAccount(deps, account.tenant_id)
        await markApplied(system, ids)
      } catch (error) {
        log.warn('billing.error', { customer, err: error })
        await postponeEvents(system, ids, retryAt(same), textOf(error))
      }
    }
    return events.size > 0
  }

  async function endDue(): Promise<boolean> {
    const endings = await leaseEndings(system, lease())
    for (const { subscription_id: subscription, attempts } of endings) {
      try {
        const provider = deps.provider ?? noProvider()
        await provider.cancel({ subscription, key: `cancel:${subscription}:${attempts}` })
        await deleteEnding(system, subscription)
      } catch (error) {
        log.warn('billing.error', { subscription, err: error })
        await postponeEnding(system, subscription, retryAt([{ attempts }]), textOf(error))
      }
    }
    return endings.length > 0
  }

  function retryAt(rows: readonly Pick<EventRow, 'attempts'>[]): Date {
    const attempts = Math.min(...rows.map((row) => row.attempts))
    return new Date(clock.now() + Math.min(RETRY_MS.first * 2 ** (attempts - 1), RETRY_MS.most))
  }

  const cancel = clock.every(INTERVAL_MS, () => loop.wake())
  loop.wake()
  return {
    wake: () => loop.wake(),
    async stop() {
      stopping.abort()
      cancel()
      await loop.stop()
    },
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown').slice(0, MAX_TEXT)
