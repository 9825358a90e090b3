// Events of an account: for its user, and for the server's administrator.
import * as z from 'zod'
import { Time } from './common.ts'

export const ACCOUNT_EVENT_KINDS = [
  'account.create',
  'account.remove',
  /** A change was refused because the username or address belongs to another account. */
  'account.conflict',
  'sign-in',
  /** A wrong password, at sign-in or where the current one is required. */
  'sign-in.fail',
  /** A source is locked temporarily after consecutive failures. */
  'sign-in.lock',
  /** Failures from all sources exceeded the limit: only known sources may sign in for a while. */
  'sign-in.guard',
  'sign-out',
  'sign-out.everywhere',
  /** A refresh cookie was replayed; its session has ended. */
  'session.replay',
  'password.change',
  /** By the server's administrator. */
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
    /** Time of the first occurrence. */
    at: Time,
    /** Time of the last occurrence: repetitions within an hour are counted. */
    last_at: Time,
    count: z.number().int(),
    /** Source address, the /64 network for IPv6; '' for the command line. */
    source: z.string(),
    user_agent: z.string(),
    /** Non-secret facts; for a change `before` and `after`. */
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AccountEvent' })
export type AccountEvent = z.infer<typeof AccountEvent>
