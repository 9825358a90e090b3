// Live events on one HTTP response: written as they come, ended for good exactly once.
import type { ServerResponse } from 'node:http'
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { EventBus, NumberedEvent } from './bus.ts'
import type { QueueLedger } from './queued.ts'

/** How often a line keeps the connection open, and the credential is looked at again. */
const TICK_MS = 15_000
/** Bytes, not texts: a text would be measured and encoded anew for each listener. */
const LIVE = Buffer.from(': live\n\n')
const STILL_HERE = Buffer.from(': still here\n\n')

export interface Listener {
  readonly tenant: TenantId
  /** Id of the last event that it has seen. */
  readonly lastId: string | undefined
  /** Milliseconds since the epoch at which its credential ends. */
  readonly expiresAt: number
  /** Whether the credential is still good; never rejects. */
  isStillAdmitted(): Promise<boolean>
  /** Calls `look` when the credential may have ended; the answer unsubscribes. */
  onAccessChange(look: () => void): () => void
}

export interface StreamDeps {
  readonly bus: EventBus
  readonly clock: Clock
  readonly stopping: AbortSignal
  readonly queues: QueueLedger
}

/**
 * Writes the namespace's events until the credential ends, the client goes, or `stopping` is aborted.
 * @param raw its head has been written
 */
export function streamEvents(
  { bus, clock, stopping, queues }: StreamDeps,
  listener: Listener,
  raw: ServerResponse,
): void {
  const stops: (() => void)[] = []
  /** Nothing is written after the end: that would be an error that nobody waits for. */
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
    // Somebody this far behind is cut off; with the id of the last event seen the next stream goes on from there.
    if (raw.writableLength + bytes.length > LIMITS.eventStreams.queuedBytes) raw.destroy()
    else if (!raw.destroyed) {
      raw.write(bytes)
      queues.wrote(bytes.length)
    }
  }
  const send = ({ frame, type }: NumberedEvent): void => {
    write(frame)
    // It may have been this listener: who is no member any more hears nothing from now on.
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
