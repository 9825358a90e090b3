// Display name of a session.
import type { Session } from '@bowline/contract/schemas/session'
import { sessionsMessages as texts } from './messages.ts'

/** `root@lab-nas` */
export function nameOf(session: Session): string {
  return `${session.username}@${deviceOf(session)}`
}

/** `lab-nas`, also where the device is gone. */
export function deviceOf({ device }: Session): string {
  return device?.name ?? texts.removedDevice
}
