// Events of an account: for its user, and for the server's administrator.
import * as z from 'zod'
import { Time } from './common.ts'

export const ACCOUNT_EVENT_KINDS = [
  'account.create',
  'account.remove',
  /** A link to what the server has about the person was made, or the server's operator exported it. */
  'account.export',
  /** By an administrator of the server: nobody signs in to it until it is enabled. */
  'account.disable',
  'account.enable',
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
  /** By an administrator of the server. */
  'sign-out.forced',
  /** A refresh cookie was replayed; its session has ended. */
  'session.replay',
  'password.change',
  /** By the server's administrator. */
  'password.set',
  /** By the link of a recovery mail. */
  'password.reset',
  /** The account has passkeys and no password any more. */
  'password.remove',
  'passkey.add',
  'passkey.remove',
  /** A passkey that cannot be copied has counted backwards: there may be a copy. */
  'passkey.counter',
  'username.change',
  'address.change',
  /** A program was, or was not, allowed to sign in as the person. */
  'program.approve',
  'program.deny',
  /** An SSH login that waited for the person was, or was not, allowed. */
  'ssh-login.approve',
  'ssh-login.deny',
  'factor.add',
  'factor.rename',
  'factor.remove',
  /** A wrong or used code of a second factor. */
  'factor.fail',
  /** Wrong codes exceeded the limit: no more are checked for a while. */
  'factor.guard',
  /** Codes that switch the second factor off were mailed. */
  'factor.reset-request',
  /** The second factor was switched off with mailed codes, or by the server's operator. */
  'factor.reset',
  'recovery-code.use',
  'recovery-codes.renew',
  /** By the server's operator or another administrator: the account administers the server, or does not any more. */
  'instance-admin.grant',
  'instance-admin.revoke',
  /** An identity of a provider was linked to the account. */
  'identity.link',
  /** By the person, or by whoever administers the server. */
  'identity.remove',
  /** The one-use token of a single sign-on came from another network or browser: it is used up. */
  'exchange.refuse',
  /** An administrator changed how people may sign in. */
  'sign-in-settings.change',
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
