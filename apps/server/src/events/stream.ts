// Live events on one HTTP response: written as they come, ended for good exactly once.
import type { ServerResponse } from 'node:http'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Clock } from '../platform/clock.ts'
import type { EventBus, NumberedEvent } from './bus.ts'

/** How often a line keeps the connection open, and the credential is looked at again. */
const TICK_MS = 15_000
/** A listener that is this far behind is cut off: it resumes from the buffer when it has caught up. */
const MAX_BEHIND_BYTES = 4_194_304

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

/**
 * Writes the namespace's events until the credential ends, the client goes, or `stopping` is aborted.
 * @param raw its head has been written
 */
export function streamEvents(
  { bus, clock, stopping }: { bus: EventBus; clock: Clock; stopping: AbortSignal },
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
  const send = ({ id, event }: NumberedEvent): void => {
    if (raw.writableLength > MAX_BEHIND_BYTES) raw.destroy()
    else raw.write(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    // It may have been this listener: who is no member any more hears nothing from now on.
    if (event.type === 'member.removed') void checkAdmission()
  }
  const tick = (): void => {
    raw.write(': still here\n\n')
    void checkAdmission()
  }
  raw.write(': live\n\n')
  stopping.addEventListener('abort', end)
  stops.push(
    () => stopping.removeEventListener('abort', end),
    bus.listen(listener.tenant, listener.lastId, send),
    listener.onAccessChange(() => void checkAdmission()),
    clock.every(TICK_MS, tick),
    clock.after(listener.expiresAt - clock.now(), end),
  )
}
