// A login that the device has accepted, as sessions and forwards use it.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Link, LinkStream } from '@bowline/link/api'
import type { TenantContext } from '../../context.ts'
import type { LoginTarget } from '../../devices/presence.ts'
import type { Grant } from '../../firewall/rules.ts'
import type { Span } from '../../platform/tracing/spans.ts'
import type { SessionRecord } from '../record/session-record.ts'
import type { ForwardingState } from './live-logins.ts'

/** Lives as long as the SSH connection and the link. */
export interface AcceptedLogin {
  readonly link: Link
  /** The `auth` stream; every stream of the login refers to its id. */
  readonly stream: LinkStream
  readonly record: SessionRecord
  /** In the device's namespace. */
  readonly ctx: TenantContext
  /** Resolves when the row has the accepted login; nothing is opened before. Rejects when the database is down. */
  readonly recorded: Promise<void>
  readonly target: LoginTarget
  readonly forwarding: ForwardingState
  readonly trace: Span
  readonly user: string
  /** Account behind the login; undefined when nobody knows. */
  readonly person: UserId | undefined
  /** Access request by which alone the firewall lets it in; undefined where the rules do. */
  readonly grant: Grant | undefined
  /** Wire encoding of the key that was used; undefined for a password. */
  readonly key: Uint8Array | undefined
}
