// SSHIDs: the SSH user name, the part before the last `@` of `ssh user@namespace.device@host`.
import { DeviceUid } from '@bowline/contract/schemas/common'

export type Target = { readonly uid: DeviceUid } | { readonly namespace: string; readonly device: string }

export interface SshId {
  /** Account on the device. */
  readonly user: string
  readonly target: Target
}

/** Longer names are rejected; system user names have at most 32 characters, directories allow more. */
const MAX_LENGTH = 512

/**
 * Parses `user@namespace.device` or `user@<uid>`. The user part may itself contain an `@` (`anna@corp@ns.device`): the
 * last one is the separator.
 * @returns undefined for anything else
 */
export function parseSshId(text: string): SshId | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const at = text.lastIndexOf('@')
  const user = text.slice(0, Math.max(at, 0))
  const name = text.slice(at + 1)
  if (user === '' || name === '') return undefined
  const uid = DeviceUid.safeParse(name.toLowerCase())
  if (uid.success) return { user, target: { uid: uid.data } }
  const dot = name.indexOf('.')
  const namespace = name.slice(0, Math.max(dot, 0))
  const device = name.slice(dot + 1)
  if (namespace === '' || device === '') return undefined
  return { user, target: { namespace, device } }
}
