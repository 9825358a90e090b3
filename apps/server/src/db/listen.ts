// Notifications of PostgreSQL (LISTEN) on a connection of their own. They only wake: whoever waits for one looks by
// itself as well, so that a connection that is lost, or leads through a pooler that forgets LISTEN, costs time only.
import { Backoff } from '@bowline/base/backoff'
import type { Clock } from '@bowline/base/clock'
import { Client } from 'pg'
import type { Log } from '../platform/log.ts'
import { type OwnerConnection, clientConfig, quoteIdentifier } from './owner-session.ts'

const BACKOFF = { baseMs: 1_000, capMs: 30_000 }

/**
 * Calls `woken` for each notification of a channel, and once when the connection stands.
 * @returns stop
 */
export function listenTo(
  owner: OwnerConnection,
  channel: string,
  woken: () => void,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): () => Promise<void> {
  const backoff = new Backoff(BACKOFF)
  let client: Client | undefined
  let stopped = false
  let cancelRetry = (): void => undefined

  async function open(): Promise<void> {
    const opened = new Client(clientConfig(owner, 'bowline-listen'))
    client = opened
    let isLost = false
    const lost = (cause?: Error): void => {
      if (isLost || stopped) return
      isLost = true
      if (cause) log.debug('database.error', { channel, err: cause })
      opened.end().catch(() => undefined)
      cancelRetry = clock.after(backoff.next(), () => void open())
    }
    opened.on('error', lost).on('end', () => lost())
    opened.on('notification', woken)
    try {
      await opened.connect()
      await opened.query(`listen ${quoteIdentifier(channel)}`)
      backoff.reset()
      woken()
    } catch (error) {
      lost(error instanceof Error ? error : new Error(String(error)))
    }
  }

  void open()
  return async () => {
    stopped = true
    cancelRetry()
    await client?.end().catch(() => undefined)
  }
}
