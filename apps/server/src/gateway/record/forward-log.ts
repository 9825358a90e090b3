// Logs the duration and the byte counts of a forwarded connection, never its contents.
import type { Clock } from '@bowline/base/clock'
import type { SessionRecord } from './session-record.ts'

export interface ForwardLog {
  toDevice(count: number): void
  toClient(count: number): void
  /** Logs the end, once. */
  end(): void
}

/** @param target connected address in readable form */
export function openForwardLog(record: SessionRecord, clock: Clock, target: string): ForwardLog {
  const openedAt = clock.now()
  let toDevice = 0
  let toClient = 0
  let isOver = false
  return {
    toDevice(count) {
      toDevice += count
    },
    toClient(count) {
      toClient += count
    },
    end() {
      if (isOver) return
      isOver = true
      record.note('forward-end', 0, { target, to_device: toDevice, to_person: toClient, ms: clock.now() - openedAt })
    },
  }
}
