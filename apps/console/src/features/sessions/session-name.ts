// Display name of a session.
import { sessionsMessages as texts } from './messages.ts'

interface Named {
  readonly username: string
  readonly device: { readonly name: string } | null
}

/** `root@lab-nas` */
export function nameOf(session: Named): string {
  return `${session.username}@${deviceOf(session)}`
}

/** `lab-nas`, also where the device is gone. */
export function deviceOf({ device }: Pick<Named, 'device'>): string {
  return device?.name ?? texts.removedDevice
}
