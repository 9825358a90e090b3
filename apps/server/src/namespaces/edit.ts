// Changes of a namespace's name and settings.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { getNamespace } from './service.ts'
import { FACTOR_SETTINGS, SESSION_SETTINGS, settingsOf } from './settings.ts'
import { findWholeNamespace, isNamespaceNameTaken, lockNamespaceRow, updateNamespace } from './store.ts'

type Settings = Namespace['settings']

export interface NamespaceChanges {
  readonly name?: string | undefined
  readonly settings?: { readonly [Name in keyof Settings]?: Settings[Name] | undefined } | undefined
}

/** What changes of some settings need. */
export interface EditChecks {
  readonly requireProof: (ctx: TenantContext) => Promise<void>
  /** Where logins need the factor. @throws {BowlineError} FRESH_PROOF_REQUIRED */
  readonly requireAccessProof: (ctx: TenantContext) => Promise<void>
  /** @param ctx in the transaction of the change */
  readonly closeWindows: (ctx: TenantContext) => Promise<void>
  /** Ends access that was asked for. @param ctx in the transaction of the change */
  readonly endAccess: (ctx: TenantContext) => Promise<void>
}

/**
 * Changes name and settings; omitted ones are kept.
 * @param system connection: names are unique over all namespaces
 * @param checks.requireProof refuses a person whose second factor is not fresh: asked for changes of what logins must prove
 * @param checks.requireAccessProof the same where logins need it: asked for changes of what sessions may do and leave behind
 * @param checks.closeWindows what was proven before the factor is switched off must not count when it is on again
 * @param checks.endAccess called when requests for access are switched off
 * @throws {BowlineError} NOT_FOUND; CONFLICT for a taken name; FRESH_PROOF_REQUIRED; USER_TOKEN_REQUIRED
 */
export async function editNamespace(
  system: Kysely<Schema>,
  ctx: TenantContext,
  changes: NamespaceChanges,
  { requireProof, requireAccessProof, closeWindows, endAccess }: EditChecks,
): Promise<Namespace> {
  const seen = (await findWholeNamespace(system, ctx.tenant)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  const { name: wanted = seen.name } = changes
  const isTaken = wanted !== seen.name && (await isNamespaceNameTaken(system, wanted, ctx.tenant))
  if (isTaken) fail('CONFLICT', { field: 'name' }, ['name'])
  const needsProof = changesOf(settingsOf(seen), changes, FACTOR_SETTINGS)
  const needsAccessProof = changesOf(settingsOf(seen), changes, SESSION_SETTINGS)
  if (needsProof) {
    if (ctx.actor.kind === 'api-key') fail('USER_TOKEN_REQUIRED')
    await requireProof(ctx)
  } else if (needsAccessProof) await requireAccessProof(ctx)
  await ctx.db.transaction().execute(async (db) => {
    // Changes at the same time follow each other: each keeps what the one before has set.
    const row = (await lockNamespaceRow(db, ctx.tenant)) ?? fail('NOT_FOUND', { what: 'The namespace' })
    const settings = settingsOf(row)
    const asksPeople = settings.ssh_second_factor && !needsAccessProof && ctx.actor.kind === 'user'
    const changesMore =
      changesOf(settings, changes, FACTOR_SETTINGS) || (asksPeople && changesOf(settings, changes, SESSION_SETTINGS))
    if (!needsProof && changesMore) {
      fail('FRESH_PROOF_REQUIRED', { minutes: LIMITS.freshProofMinutes })
    }
    const before = { name: row.name, ...settings }
    const after = { ...before, ...given({ name: changes.name, ...changes.settings }) }
    const { name, session_record, connection_announcement, ...others } = after
    await updateNamespace(db, ctx.tenant, { name, session_record, connection_announcement, settings: others })
    if (after.ssh_second_factor !== before.ssh_second_factor) await closeWindows({ ...ctx, db })
    if (before.access_requests && !after.access_requests) await endAccess({ ...ctx, db })
    await audit({ ...ctx, db }, 'namespace.update', ctx.tenant, { before, after })
  })
  ctx.emit({ type: 'policy.changed' })
  return getNamespace(system, ctx.tenant)
}

function changesOf(before: Settings, { settings }: NamespaceChanges, names: readonly (keyof Settings)[]): boolean {
  return names.some((name) => settings?.[name] !== undefined && settings[name] !== before[name])
}

/** The members that are not undefined. */
function given<T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
