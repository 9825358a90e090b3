// Checks a password as this machine would: crypt(3) against shadow(5), including ageing. An unknown name takes the same
// time as a wrong password, and the reason of a refusal is only visible to the device and the platform.
import { timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Semaphore } from '@bowline/base/semaphore'
import { passwdEntry, shadowEntry, type ShadowEntry } from '../native/accounts.ts'
import type { Crypt } from '../native/crypt.ts'
import { NOLOGIN_FILES, nologinRefusal, shellRefusal } from './account-rules.ts'
import { systemAccount, type Account } from './account.ts'
import { askPassword, type Conversation, type Person } from './conversation.ts'
import { accountExpired, dayOf, hashState, passwordExpired } from './shadow.ts'
import type { Verdict } from './verdict.ts'

/** Decides who may log in. All calls may take long and are safe to make at any rate. */
export interface Authority {
  password(user: string, password: string, person?: Person): Promise<Verdict>
  /** Prompts the user. Rejects when they have disconnected. */
  interactive(user: string, conversation: Conversation): Promise<Verdict>
  /** The platform has authorized the login; only the account itself is checked. */
  platform(user: string, person?: Person): Promise<Verdict>
}

const MAX_CONCURRENT_CHECKS = 4
const MAX_WAITING_CHECKS = 32
/**
 * A user database on the network may hang; pending calls must stay bounded. The platform has authorized those who wait:
 * an office or a job with many forks must not be refused.
 */
const MAX_CONCURRENT_LOOKUPS = 8
const MAX_WAITING_LOOKUPS = 512
const NEVER_EXPIRES: ShadowEntry = { hash: '', changedDay: -1, maximumDays: -1, inactiveDays: -1, expiresDay: -1 }
/** Method and salt for unknown names, on a machine where no user has a password. */
const FALLBACK_SETTING = '$6$mXqCk1Zr5yUo8Tn4$'

/**
 * Single-user mode: any name is the agent's own user, and one hash decides.
 * @param crypt the system's crypt(3)
 */
export function singleUserAuthority(own: Account, hash: string, crypt: Crypt): Authority {
  const turns = new Semaphore(MAX_CONCURRENT_CHECKS, MAX_WAITING_CHECKS)
  const check = async (password: string): Promise<Verdict> => {
    const matches = await turns.run(() => hashMatches(crypt, password, hash))
    if (matches === undefined) return { denied: 'busy' }
    return matches ? (nologinRefusal(own) ?? { account: own }) : { denied: 'credential' }
  }
  return {
    password: (_user, password) => check(password),
    interactive: async (_user, conversation) => check(await askPassword(conversation)),
    platform: async () => nologinRefusal(own) ?? { account: own },
  }
}

/** The check of system users without libcrypt: see chkpwd.ts. */
export type OtherCheck = (user: string, password: string) => Promise<boolean>

/**
 * Multi-user mode: the users of the system.
 * @param check crypt(3), or the other check without libcrypt
 * @param now epoch milliseconds, for password ageing
 * @param nologin files that lock users out while they exist
 */
export function systemAuthority(
  check: { crypt: Crypt } | { other: OtherCheck },
  now: () => number,
  nologin: readonly string[] = NOLOGIN_FILES,
): Authority {
  const checks = new Semaphore(MAX_CONCURRENT_CHECKS, MAX_WAITING_CHECKS)
  const lookups = new Semaphore(MAX_CONCURRENT_LOOKUPS, MAX_WAITING_LOOKUPS)
  let decoy: string | undefined

  /** Takes as long as a real check and always fails. */
  async function decoyCheck(password: string): Promise<void> {
    if (!('crypt' in check)) return
    decoy ??= decoySetting()
    await check.crypt(password, decoy)
  }

  async function verdict(user: string, password: string): Promise<Verdict> {
    const account = await systemAccount(user)
    if (!account) {
      await decoyCheck(password)
      return { denied: 'unknown-user' }
    }
    const entry = await passwordOf(account.name)
    const state = hashState(entry.hash)
    if (state !== 'usable') {
      await decoyCheck(password)
      return { denied: state }
    }
    const matches =
      'crypt' in check
        ? await hashMatches(check.crypt, password, entry.hash)
        : await check.other(account.name, password)
    if (!matches) return { denied: 'credential' }
    // Only a user who knows the password learns that it has expired.
    const today = dayOf(now())
    if (accountExpired(entry, today) || passwordExpired(entry, today)) return { denied: 'expired' }
    return shellRefusal(account) ?? nologinRefusal(account, nologin) ?? { account }
  }

  async function lookUp(user: string): Promise<Verdict> {
    const account = await systemAccount(user)
    if (!account) return { denied: 'unknown-user' }
    const entry = await shadowEntry(account.name)
    if (entry && accountExpired(entry, dayOf(now()))) return { denied: 'expired' }
    return shellRefusal(account) ?? nologinRefusal(account, nologin) ?? { account }
  }

  const judge = async (user: string, password: string): Promise<Verdict> =>
    (await checks.run(() => verdict(user, password))) ?? { denied: 'busy' }

  return {
    password: judge,
    interactive: async (user, conversation) => judge(user, await askPassword(conversation)),
    async platform(user) {
      return (await lookups.run(() => lookUp(user))) ?? { denied: 'busy' }
    },
  }
}

/** A user's hash and its ageing: from shadow(5), or from passwd(5) if it is stored there. */
async function passwordOf(user: string): Promise<ShadowEntry> {
  const shadow = await shadowEntry(user)
  if (shadow) return shadow
  const hash = (await passwdEntry(user))?.password ?? ''
  // `x` refers to a missing shadow row: no password matches.
  return { ...NEVER_EXPIRES, hash: hash === 'x' ? '*' : hash }
}

async function hashMatches(crypt: Crypt, password: string, hash: string): Promise<boolean> {
  const computed = Buffer.from((await crypt(password, hash)) ?? '')
  const expected = Buffer.from(hash)
  return computed.length === expected.length && computed.length > 0 && timingSafeEqual(computed, expected)
}

/** The setting of some real user, so that a decoy takes as long as this machine's real checks. */
function decoySetting(): string {
  const rows = shadowText()
  const hashes = rows.split('\n').map((row) => row.split(':')[1] ?? '')
  return hashes.findLast((hash) => hash.startsWith('$')) ?? FALLBACK_SETTING
}

function shadowText(): string {
  try {
    return readFileSync('/etc/shadow', 'utf8')
  } catch {
    return ''
  }
}
