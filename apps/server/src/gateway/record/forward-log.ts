// Logs a forwarded connection: how long it was open and how much went each way. What it carried is nobody's business
// here.
import type { Clock } from '@bowline/base/clock'
import type { SessionRecord } from './session-record.ts'

export interface ForwardLog {
  toDevice(count: number): void
  toClient(count: number): void
  /** It is over; told once. */
  end(): void
}

/** @param target what was connected, for people */
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
