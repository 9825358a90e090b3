// Display name of a session.
import { sessionsMessages as texts } from './messages.ts'

interface Named {
  readonly username: string
  readonly device: { readonly name: string } | null
}

/** `root@lab-nas` */
export function nameOf({ username, device }: Named): string {
  return `${username}@${device?.name ?? texts.removedDevice}`
}
