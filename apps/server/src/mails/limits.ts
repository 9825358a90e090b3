// Limits of mails within an hour, by recipient and by source: the server must be no tool for flooding
// somebody's mailbox. Over a limit a mail is not written, and the caller's answer is the same.

interface HourlyLimits {
  readonly perRecipient: number
  /** Of these, mails on behalf of one namespace; undefined: as many. */
  readonly perNamespace?: number
  /**
   * Undefined where anybody may ask for the mail of a name: a source whose own mails stop would learn that the name has
   * an account. Such calls are limited before the name is looked up.
   */
  readonly perSource: number | undefined
}

/**
 * Limits of each group of kinds. Mails that strangers can cause have groups of their own, so that they crowd out nothing
 * else.
 */
const LIMITS_OF = {
  confirm: { perRecipient: 20, perSource: undefined },
  'confirm-address': { perRecipient: 10, perSource: undefined },
  recover: { perRecipient: 20, perSource: undefined },
  /** Asked for from where the account has signed in before. */
  'own-recover': { perRecipient: 10, perSource: undefined },
  'account-exists': { perRecipient: 5, perSource: undefined },
  'reset-code': { perRecipient: 10, perSource: undefined },
  /** Written by members, whose calls are limited and logged; few namespaces must not use up those of others. */
  invitation: { perRecipient: 30, perSource: 200 },
  notice: { perRecipient: 30, perSource: undefined },
  /** Each sign-in with another user agent causes one. */
  'new-device': { perRecipient: 10, perSource: undefined },
  'namespace-deleted': { perRecipient: 30, perSource: undefined },
  /** Each sign-in at a provider causes one at most. */
  'link-identity': { perRecipient: 5, perSource: undefined },
  /** Each certificate causes two. */
  'certificate-ends': { perRecipient: 30, perSource: undefined },
  'server-certificate-ends': { perRecipient: 30, perSource: undefined },
  /** Rules have limits of their own; somebody may be a recipient of many, in several namespaces. */
  alert: { perRecipient: 300, perNamespace: 60, perSource: undefined },
  /** Members cause them, each a few a day. */
  'access-requested': { perRecipient: 60, perNamespace: 30, perSource: 100 },
  'access-decided': { perRecipient: 60, perNamespace: 30, perSource: undefined },
  test: { perRecipient: 10, perSource: 30 },
} as const satisfies Record<string, HourlyLimits>
export type MailGroup = keyof typeof LIMITS_OF

/** Limits of a group. */
export function limitsOf(group: MailGroup): HourlyLimits & { readonly category: string } {
  return { category: group, ...LIMITS_OF[group] }
}

/** Attempts for a mail; with the delays between them they take about a day. */
export const MAX_ATTEMPTS = 14
const FIRST_DELAY_MS = 60_000
const LONGEST_DELAY_MS = 4 * 3_600_000

/** Delay after a failed attempt, in milliseconds: 1 minute, doubled each time, at most 4 hours. @param attempts so far */
export function retryDelayMs(attempts: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, attempts - 1))
}

/** A mail that nobody has tried for this long after it was due is not sent any more: its link has expired. */
export const STALE_MS = 24 * 3_600_000
/** Retention of rows. */
export const KEPT_MS = 30 * 24 * 3_600_000
