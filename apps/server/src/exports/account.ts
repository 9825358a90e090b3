// Exports of accounts over HTTP: a person asks for a link to what the server has about them; opening it streams the archive.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import type { ExportLink } from '@bowline/contract/schemas/namespace'
import type { Origin } from '../context.ts'
import { VERSION } from '../platform/version.ts'
import { noteAccountEvent } from '../users/activity.ts'
import { getAccount } from '../users/service.ts'
import { accountArchive } from './account-archive.ts'
import {
  type AccountSubject,
  findAccountLink,
  setAccountBusy,
  storeAccountLink,
  takeAccountLink,
} from './account-store.ts'
import { type ExportKind, newLink } from './runs.ts'
import type { ExportDeps } from './service.ts'

/**
 * Makes a link to the archive of an account; an earlier one ends.
 * @throws {BowlineError} EXPORT_RUNNING
 */
export async function requestAccountExport(
  { system, clock }: Pick<ExportDeps, 'system' | 'clock'>,
  user: UserId,
  origin: Origin,
): Promise<ExportLink> {
  const now = clock.now()
  const { token, hash, expires } = newLink(now)
  await system.transaction().execute(async (db) => {
    const { tokenEpoch: token_epoch } = (await getAccount(db, user)) ?? fail('NOT_FOUND', { what: 'The user' })
    const link = { user_id: user, link_hash: hash, link_expires_at: expires, token_epoch }
    if (!(await storeAccountLink(db, link, new Date(now)))) fail('EXPORT_RUNNING')
    await noteAccountEvent(db, now, { user, kind: 'account.export', origin })
  })
  return { path: `/api/user-exports/${token}`, expires_at: expires.toISOString() }
}

/** Archives of accounts. */
export function accountExports({
  system,
  clock,
  folder,
}: Pick<ExportDeps, 'system' | 'clock' | 'folder'>): ExportKind<AccountSubject> {
  return {
    maxMs: LIMITS.exports.accountMinutes * 60_000,
    personOf: ({ user_id: user }) => user,
    links: {
      find: (hash, now) => findAccountLink(system, hash, now),
      take: (hash, now, busyUntil) => takeAccountLink(system, hash, now, busyUntil),
      setBusy: ({ user_id: user }, until) => setAccountBusy(system, user, until),
    },
    /** Whether the account is not disabled, and its sign-ins have not been ended since. */
    async mayHave({ user_id: user, token_epoch: epoch }) {
      const account = await getAccount(system, user)
      return account?.status === 'confirmed' && account.tokenEpoch === epoch
    },
    async begin({ user_id: user }, { log }, at) {
      const { username } = (await getAccount(system, user)) ?? fail('NOT_FOUND', { what: 'The export' })
      const counts: Record<string, number> = {}
      return {
        name: `${username}-${new Date(at).toISOString().slice(0, 10)}.tar.gz`,
        bytes: accountArchive({ system, clock, user, username, version: VERSION, folder }, counts),
        ended: () => log.info('export.ended', { user }),
      }
    },
  }
}
