// What happened to an account: for the person whose it is, and for whoever runs the server.
import * as z from 'zod'
import { Time } from './common.ts'

export const ACCOUNT_EVENT_KINDS = [
  'account.create',
  'account.remove',
  /** A change was refused because the username or address belongs to somebody else. */
  'account.conflict',
  'sign-in',
  /** A wrong password, at a sign-in or where the current one is asked for. */
  'sign-in.fail',
  /** A source is locked for a while after failures in a row. */
  'sign-in.lock',
  /** So many failures from all sources that only known ones may go on for a while. */
  'sign-in.guard',
  'sign-out',
  'sign-out.everywhere',
  /** A refresh cookie came a second time; its session has ended. */
  'session.replay',
  'password.change',
  /** By whoever runs the server. */
  'password.set',
  'username.change',
  'address.change',
] as const

export const AccountEventKind = z.enum(ACCOUNT_EVENT_KINDS)
export type AccountEventKind = z.infer<typeof AccountEventKind>

export const AccountEvent = z
  .object({
    id: z.number().int(),
    kind: AccountEventKind,
    /** When it happened first. */
    at: Time,
    /** When it happened last: repetitions within an hour are counted. */
    last_at: Time,
    count: z.number().int(),
    /** Address that it came from, of IPv6 the /64 network; '' for the command line. */
    source: z.string(),
    user_agent: z.string(),
    /** Non-secret facts; for a change `before` and `after`. */
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AccountEvent' })
export type AccountEvent = z.infer<typeof AccountEvent>
