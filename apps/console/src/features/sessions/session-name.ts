// Display name of a session.
import type { Session } from '@bowline/contract/schemas/session'
import { sessionsMessages as texts } from './messages.ts'

/** `root@lab-nas` */
export function nameOf({ username, device }: Session): string {
  return `${username}@${device?.name ?? texts.removedDevice}`
}
