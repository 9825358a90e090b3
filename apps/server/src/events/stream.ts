// Live events on one HTTP response: written as they arrive, ended exactly once.
import type { ServerResponse } from 'node:http'
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { EventBus, NumberedEvent } from './bus.ts'
import type { QueueLedger } from './queued.ts'

/** Interval of keep-alive lines and of credential checks. */
const TICK_MS = 15_000
/** Buffers rather than strings, which would be measured and encoded again for each listener. */
const LIVE = Buffer.from(': live\n\n')
const STILL_HERE = Buffer.from(': still here\n\n')

export interface Listener {
  readonly tenant: TenantId
  /** Id of the last event seen by the listener. */
  readonly lastId: string | undefined
  /** Expiry of the credential in milliseconds since the epoch. */
  readonly expiresAt: number
  /** Resolves to true while the credential is valid; never rejects. */
  isStillAdmitted(): Promise<boolean>
  /** Calls `look` when the credential may have ended. @returns unsubscribe */
  onAccessChange(look: () => void): () => void
}

export interface StreamDeps {
  readonly bus: EventBus
  readonly clock: Clock
  readonly stopping: AbortSignal
  readonly queues: QueueLedger
}

/**
 * Writes the namespace's events until the credential ends, the client disconnects, or `stopping` is aborted.
 * @param raw response with its head already written
 */
export function streamEvents(
  { bus, clock, stopping, queues }: StreamDeps,
  listener: Listener,
  raw: ServerResponse,
): void {
  const stops: (() => void)[] = []
  /** Unsubscribes before ending: a write after the end would be an unhandled error. */
  const end = (): void => {
    for (const stop of stops.splice(0)) stop()
    raw.end()
  }
  raw.on('error', end)
  raw.on('close', end)
  const checkAdmission = async (): Promise<void> => {
    if (!(await listener.isStillAdmitted())) end()
  }
  const write = (bytes: Buffer): void => {
    // A client this far behind is cut off; it can resume with the id of the last event it has seen.
    if (raw.writableLength + bytes.length > LIMITS.eventStreams.queuedBytes) raw.destroy()
    else if (!raw.destroyed) {
      raw.write(bytes)
      queues.wrote(bytes.length)
    }
  }
  const send = ({ frame, type }: NumberedEvent): void => {
    write(frame)
    // The removed member may be this listener, which must get no further events.
    if (type === 'member.removed') void checkAdmission()
  }
  const tick = (): void => {
    write(STILL_HERE)
    void checkAdmission()
  }
  queues.streams.add(raw)
  write(LIVE)
  stopping.addEventListener('abort', end)
  stops.push(
    () => queues.streams.delete(raw),
    () => stopping.removeEventListener('abort', end),
    bus.listen(listener.tenant, listener.lastId, send),
    listener.onAccessChange(() => void checkAdmission()),
    clock.every(TICK_MS, tick),
    clock.after(listener.expiresAt - clock.now(), end),
  )
}
