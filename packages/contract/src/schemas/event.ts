// Live events of a namespace: what `GET /api/events` streams. An event tells what changed
// and carries the changed noun, so that a client updates its lists without asking again.
import * as z from 'zod'
import { Device } from './device.ts'
import { DeviceUid, UserId } from './common.ts'
import { Member } from './namespace.ts'
import { Session } from './session.ts'

export const LiveEvent = z
  .discriminatedUnion('type', [
    /** A device registered for the first time and waits for somebody to accept it. */
    z.object({ type: z.literal('device.pending'), device: Device }),
    /** Accepted, rejected, renamed, tagged, online or offline: the device as it is now. */
    z.object({ type: z.literal('device.changed'), device: Device }),
    z.object({ type: z.literal('device.removed'), uid: DeviceUid }),
    z.object({ type: z.literal('session.started'), session: Session }),
    z.object({ type: z.literal('session.changed'), session: Session }),
    z.object({ type: z.literal('session.ended'), session: Session }),
    /** Somebody became a member, or was invited: then the status is `pending`. */
    z.object({ type: z.literal('member.added'), member: Member }),
    /** Another role, or an invitation that was renewed or accepted: the member as it is now. */
    z.object({ type: z.literal('member.changed'), member: Member }),
    /** Removed or left. */
    z.object({ type: z.literal('member.removed'), id: UserId }),
    /** Who may connect may have changed: keys, rules or settings of the namespace. */
    z.object({ type: z.literal('policy.changed') }),
    /** The client missed events (its last id is too old or of another life of the server): it must load anew. */
    z.object({ type: z.literal('reset') }),
  ])
  .meta({ id: 'LiveEvent' })
export type LiveEvent = z.infer<typeof LiveEvent>
