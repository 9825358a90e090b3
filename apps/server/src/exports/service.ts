// Exports of namespaces over HTTP: the owner asks for a link; opening it streams the archive.
import type { Clock } from '@bowline/base/clock'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { ExportLink } from '@bowline/contract/schemas/namespace'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { getNamespace, getNamespaceLimits, membershipRole } from '../namespaces/service.ts'
import { getAccount } from '../users/service.ts'
import { VERSION } from '../platform/version.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { type ExportCounts, exportArchive } from './archive.ts'
import { type ExportKind, newLink } from './runs.ts'
import { type ExportSubject, findLink, setBusy, storeLink, takeLink } from './store.ts'

export interface ExportDeps {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly recordings: Recordings
  /** For temporary files. */
  readonly folder: string
  /** Context of a namespace for the owner whose link it is. */
  readonly contextOf: (tenant: TenantId, source: string) => TenantContext
  /** Invoices of a namespace at the payment provider; undefined without one. */
  readonly invoicesOf: (tenant: TenantId) => (() => Promise<unknown>) | undefined
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

/**
 * Makes a link to the archive of the namespace; an earlier one ends.
 * @throws {BowlineError} EXPORT_RUNNING
 */
export async function requestExport(
  { system, clock }: Pick<ExportDeps, 'system' | 'clock'>,
  ctx: TenantContext,
  actor: UserActor,
): Promise<ExportLink> {
  const now = clock.now()
  const { token, hash, expires } = newLink(now)
  await system.transaction().execute(async (db) => {
    const { tokenEpoch: token_epoch } = (await getAccount(db, actor.id)) ?? fail('NOT_FOUND', { what: 'The user' })
    const link = { tenant_id: ctx.tenant, user_id: actor.id, link_hash: hash, link_expires_at: expires, token_epoch }
    if (!(await storeLink(db, link, new Date(now)))) fail('EXPORT_RUNNING')
    await audit({ ...ctx, db }, 'namespace.export', ctx.tenant)
  })
  return { path: `/api/namespace-exports/${token}`, expires_at: expires.toISOString() }
}

/** Archives of namespaces. */
export function namespaceExports(deps: ExportDeps): ExportKind<ExportSubject> {
  const { system, recordings, folder, contextOf, invoicesOf } = deps
  return {
    maxMs: LIMITS.exports.hours * 3_600_000,
    personOf: ({ user_id: user }) => user,
    links: {
      find: (hash, now) => findLink(system, hash, now),
      take: (hash, now, busyUntil) => takeLink(system, hash, now, busyUntil),
      setBusy: ({ tenant_id: tenant }, until) => setBusy(system, tenant, until),
    },
    /**
     * Whether the person owns the namespace, and may use it: neither is disabled, it is not deleted, and the sign-ins of the
     * person have not been ended since.
     */
    async mayHave({ tenant_id: tenant, user_id: user, token_epoch: epoch }) {
      const [role, account, open] = [
        await membershipRole(system, user, tenant),
        await getAccount(system, user),
        await getNamespaceLimits(system, tenant),
      ]
      const isSame = account?.status === 'confirmed' && account.tokenEpoch === epoch
      return role === 'owner' && isSame && open !== undefined
    },
    async begin({ tenant_id: tenant }, { source, log }, at) {
      const namespace = await getNamespace(system, tenant)
      await recordings.key.refresh()
      const invoices = invoicesOf(tenant)
      const ctx = contextOf(tenant, source)
      const archive = { ctx, namespace, recordings, keys: [...recordings.key.periods], version: VERSION, folder }
      const counts: ExportCounts = { rows: {}, recordings: 0, left: 0 }
      return {
        name: `${namespace.name}-${new Date(at).toISOString().slice(0, 10)}.tar.gz`,
        bytes: exportArchive({ ...archive, ...(invoices ? { invoices } : {}) }, counts),
        ended: () => log.info('export.ended', { tenant, recordings: counts.recordings, left: counts.left }),
      }
    },
  }
}
