// Use cases of alert rules. Whoever may change the namespace may have it tell an address about its devices.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import {
  type AlertBody,
  type AlertDelivery,
  type AlertRule,
  type alerts,
  brokenByThreshold,
} from '@bowline/contract/operations/fleet/alerts'
import type { UserId } from '@bowline/contract/schemas/common'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Listing } from '../db/lists/listing.ts'
import { lockNamespace } from '../devices/acceptance.ts'
import { conditionOf } from '../devices/list/service.ts'
import { holdMemberships } from '../membership/membership.ts'
import { SWITCHED_OFF, cancelDeliveries } from './delivery-store.ts'
import { type AlertDeps, type RouteDeps, sealNames } from './deps.ts'
import { TEST_TEXT } from './message.ts'
import { newSecret, requireReceiver, withoutUndefined } from './receiver.ts'
import {
  type DeliveryRow,
  type RuleRow,
  countRules,
  deleteRule,
  findRule,
  insertRule,
  listDeliveries,
  listRules,
  lockRule,
  thresholdColumns,
  thresholdOf,
  updateRule,
} from './store.ts'
import { deleteStates } from './states-store.ts'
import { writeMessage } from './writing.ts'

type Wanted = Pick<AlertRule, 'condition' | 'target' | 'devices' | 'threshold' | 'recipients' | 'filter'> & {
  readonly url: string | null
}

export async function list(ctx: TenantContext): Promise<AlertRule[]> {
  return (await listRules(ctx.db)).map((row) => toRule(row))
}

/**
 * @throws {BowlineError} INVALID_INPUT for fields that contradict each other or an address that may not be dialled;
 *   INVALID_FILTER; NAMESPACE_FULL
 */
export async function create(
  deps: AlertDeps,
  ctx: TenantContext,
  body: AlertBody,
): Promise<AlertRule & { secret: string | null }> {
  await check(deps, body)
  const id = deps.ids.uuid()
  const secret = body.target === 'webhook' ? newSecret() : null
  const { url, ...fields } = body
  const row = await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    await lockNamespace(db)
    const limit = LIMITS.alerts.rules
    if ((await countRules(db)) >= limit) fail('NAMESPACE_FULL', { limit, what: 'alert rules' })
    await requireMembers(inner, fields.recipients)
    const values = {
      ...fields,
      ...thresholdColumns(fields.condition, fields.threshold),
      ...addressOf(deps, id, url),
      sealed_secret: secret === null ? null : seal(deps, id, secret),
    }
    const made = await insertRule(db, {
      id,
      tenant_id: ctx.tenant,
      ...values,
      fired_at: null,
      failing_since: null,
      disabled_reason: null,
    })
    await audit(inner, 'alert-rule.create', id, described(made))
    return made
  })
  return { ...toRule(row), secret }
}

/** @throws {BowlineError} as {@link create}; NOT_FOUND */
export async function update(
  deps: AlertDeps,
  ctx: TenantContext,
  id: string,
  { url, ...change }: Input<typeof alerts.update>['body'],
): Promise<AlertRule> {
  const before = (await findRule(ctx.db, id)) ?? fail('NOT_FOUND', { what: 'The alert rule' })
  const kept = before.target === 'mail' ? null : undefined
  const { devices, threshold, recipients, filter } = change
  if ([url, devices, threshold, recipients, filter].some((value) => value !== undefined)) {
    await check(deps, { ...toRule(before), ...withoutUndefined(change), url: url ?? kept }, url !== undefined)
  }
  const row = await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    const now = (await lockRule(db, id)) ?? fail('NOT_FOUND', { what: 'The alert rule' })
    if (change.recipients) await requireMembers(inner, change.recipients)
    // Changes while it was off, or by other conditions, are not reported.
    const isAfresh = change.active === true && !now.active
    const address = url === undefined ? {} : addressOf(deps, id, url)
    const isMoved = threshold !== undefined && threshold !== thresholdOf(now)
    const again = isAfresh || change.minutes !== undefined || isMoved
    const columns = threshold === undefined ? {} : thresholdColumns(now.condition, threshold)
    const after = await updateRule(db, id, { ...withoutUndefined(change), ...columns, ...address }, again)
    if (again || change.active === false) await deleteStates(db, id)
    // Also those that a server of an earlier version left behind when the rule was switched off.
    if (change.active !== undefined && (isAfresh || !change.active)) await cancelDeliveries(db, id, SWITCHED_OFF)
    await audit(inner, 'alert-rule.update', id, { before: described(now), after: described(after) })
    return after
  })
  return toRule(row)
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(ctx: TenantContext, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const name = await deleteRule(db, id)
    if (name === undefined) fail('NOT_FOUND', { what: 'The alert rule' })
    await audit({ ...ctx, db }, 'alert-rule.remove', id, { name })
  })
}

/** Replaces the secret of a webhook. @throws {BowlineError} NOT_FOUND, also for a rule that has none */
export function renewSecret(deps: AlertDeps, ctx: TenantContext, id: string): Promise<{ secret: string }> {
  return ctx.db.transaction().execute(async (db) => {
    const rule = await lockRule(db, id)
    if (rule?.target !== 'webhook') return fail('NOT_FOUND', { what: 'The webhook' })
    const secret = newSecret()
    await updateRule(db, id, { sealed_secret: seal(deps, id, secret) })
    await audit({ ...ctx, db }, 'alert-rule.renew-secret', id, { name: rule.name })
    return { secret }
  })
}

/** @throws {BowlineError} NOT_FOUND; TOO_MANY_REQUESTS */
export async function test(deps: RouteDeps, ctx: TenantContext, id: string): Promise<AlertDelivery> {
  const rule = (await findRule(ctx.db, id)) ?? fail('NOT_FOUND', { what: 'The alert rule' })
  if (!deps.tests.take(ctx.tenant)) fail('TOO_MANY_REQUESTS', { seconds: 60 })
  const namespace = (await deps.nameOf(ctx.tenant)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  const message = { type: 'test', namespace, text: TEST_TEXT, devices: { count: 0, names: [] } }
  const row = await deps.system.transaction().execute((db) => writeMessage(deps, db, rule, message))
  await audit(ctx, 'alert-rule.test', id, { name: rule.name })
  deps.wake()
  return toDelivery(row)
}

/** @throws {BowlineError} NOT_FOUND */
export async function deliveries(
  ctx: TenantContext,
  id: string,
  { page, per_page }: Input<typeof alerts.deliveries>['query'],
): Promise<Listing<AlertDelivery>> {
  if (!(await findRule(ctx.db, id))) fail('NOT_FOUND', { what: 'The alert rule' })
  const { rows, total } = await listDeliveries(ctx.db, id, { limit: per_page, offset: (page - 1) * per_page })
  return { items: rows.map((row) => toDelivery(row)), total }
}

/** @param dials false: the address has been checked before */
async function check(
  deps: AlertDeps,
  {
    condition,
    target,
    devices,
    threshold,
    recipients,
    filter,
    url,
  }: Omit<Wanted, 'url'> & { url: string | null | undefined },
  dials = true,
): Promise<void> {
  const invalid = (field: string, rule: string): never => fail('INVALID_INPUT', { field, rule }, [field])
  if ((condition === 'many-offline') !== (devices !== null)) invalid('devices', 'is needed for many-offline only')
  const broken = brokenByThreshold(condition, threshold)
  if (broken !== undefined) invalid('threshold', broken)
  if ((target === 'mail') !== recipients.length > 0) invalid('recipients', 'are needed for mail only')
  conditionOf(filter)
  if (target === 'mail' && url) invalid('url', 'is for webhook and slack only')
  if (target === 'mail' && !deps.mails.isSending) invalid('target', 'cannot be mail: this server sends none')
  if (target === 'mail' || !dials) return
  await requireReceiver(deps.egress, url)
}

/** Recipients are members: a rule is no way to write to strangers. */
async function requireMembers(ctx: TenantContext, recipients: readonly UserId[]): Promise<void> {
  if (recipients.length > 0 && !(await holdMemberships(ctx, recipients)))
    fail('INVALID_INPUT', { field: 'recipients', rule: 'must be members of the namespace' }, ['recipients'])
}

function addressOf(deps: AlertDeps, id: string, url: string | null) {
  if (url === null) return { host: '', sealed_url: null }
  return { host: new URL(url).host, sealed_url: deps.secretKey.seal(sealNames.url(id), Buffer.from(url)) }
}

function seal({ secretKey }: AlertDeps, id: string, secret: string): Buffer {
  return secretKey.seal(sealNames.secret(id), Buffer.from(secret))
}

/** For the audit log: nothing that is a secret. */
export function described({
  name,
  active,
  condition,
  minutes,
  devices,
  tags,
  filter,
  target,
  host,
  recipients,
  ...row
}: RuleRow) {
  const about = { threshold: thresholdOf(row), tags: [...tags], filter }
  return { name, active, condition, minutes, devices, ...about, target, host, recipients: [...recipients] }
}

function toRule(row: RuleRow): AlertRule {
  const { id, disabled_reason, failing_since, fired_at, created_at } = row
  return {
    ...described(row),
    id,
    disabled_reason,
    failing_since: failing_since?.toISOString() ?? null,
    fired_at: fired_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}

function toDelivery({ id, test: isTest, text, state, attempts, answer, ...times }: DeliveryRow): AlertDelivery {
  return {
    id,
    test: isTest,
    text,
    state,
    attempts,
    answer,
    created_at: times.created_at.toISOString(),
    due_at: times.due_at?.toISOString() ?? null,
    finished_at: times.finished_at?.toISOString() ?? null,
  }
}
