// Live events of a namespace, streamed by `GET /api/events`. An event reports a change
// and carries the changed noun, so that a client updates its lists without refetching.
import * as z from 'zod'
import { Device } from './device.ts'
import { DeviceUid, UserId } from './common.ts'
import { Member } from './namespace.ts'
import { Session } from './session.ts'

export const LiveEvent = z
  .discriminatedUnion('type', [
    /** A device registered for the first time and is pending. */
    z.object({ type: z.literal('device.pending'), device: Device }),
    /** Accepted, rejected, renamed, tagged, online or offline: the device's current state. */
    z.object({ type: z.literal('device.changed'), device: Device }),
    z.object({ type: z.literal('device.removed'), uid: DeviceUid }),
    z.object({ type: z.literal('session.started'), session: Session }),
    z.object({ type: z.literal('session.changed'), session: Session }),
    z.object({ type: z.literal('session.ended'), session: Session }),
    /** A member joined, or was invited: then the status is `pending`. */
    z.object({ type: z.literal('member.added'), member: Member }),
    /** Role changed, or invitation renewed or accepted: the member's current state. */
    z.object({ type: z.literal('member.changed'), member: Member }),
    /** Removed or left. */
    z.object({ type: z.literal('member.removed'), id: UserId }),
    /** Logins that wait for a person's approval have changed; only that person can list them. */
    z.object({ type: z.literal('held-logins.changed'), user: UserId }),
    /** A change of many devices has begun or ended; only the person who asked for it can list it. */
    z.object({ type: z.literal('device-jobs.changed'), user: UserId }),
    /** Access requests of the namespace have changed; each member can list their own, and who decides all of them. */
    z.object({ type: z.literal('access-requests.changed') }),
    /** Tunnels have carried requests; at most one event a second. Only those who may create tunnels can list them. */
    z.object({ type: z.literal('tunnels.used') }),
    /** The namespace was deleted: connections of it end, and nothing follows. */
    z.object({ type: z.literal('namespace.removed') }),
    /** Access may have changed: keys, rules or settings of the namespace. */
    z.object({ type: z.literal('policy.changed') }),
    /** The client missed events (its last id is too old or from before a server restart): it must refetch. */
    z.object({ type: z.literal('reset') }),
  ])
  .meta({ id: 'LiveEvent' })
export type LiveEvent = z.infer<typeof LiveEvent>
