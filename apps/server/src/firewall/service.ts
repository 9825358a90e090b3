// Use cases of firewall rules.
import { isDeepStrictEqual } from 'node:util'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { firewall as operations } from '@bowline/contract/operations/firewall'
import type { Input } from '@bowline/contract/operation'
import type { Rule, RuleBody } from '@bowline/contract/schemas/firewall'
import type { DryRunBody } from '@bowline/contract/schemas/policy/dry-run'
import type { Role } from '@bowline/contract/roles'
import type { UserId } from '@bowline/contract/schemas/common'
import { canonicalNetwork } from '@bowline/contract/schemas/policy/network'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { compileFilter } from '../db/lists/filter.ts'
import type { Listing } from '../db/lists/listing.ts'
import { reportUnusable } from '../filters/unusable-patterns.ts'
import { requirePatterns, toColumns, toFilter, withTag, withTags, withoutTag } from '../filters/device-filter.ts'
import { requireUsed } from '../filters/used-tags.ts'
import { holdMemberships, roleOf } from '../membership/membership.ts'
import { inOrder, prioritiesFor } from './order.ts'
import { ANYWHERE, type FindGrant, type Judge, evaluate, evaluateGranted, sizeOf } from './rules.ts'
import {
  RULE_PROPERTIES,
  type RuleRow,
  deleteRule,
  findActiveRules,
  findRule,
  insertRule,
  listEveryRule,
  listRules,
  lockRule,
  lockRules,
  readPatterns,
  setPriorities,
  updateRule,
} from './store.ts'

export async function list(ctx: TenantContext, query: Input<typeof operations.list>['query']): Promise<Listing<Rule>> {
  const { rows, total } = await listRules(ctx.db, {
    where: compileFilter(query.filter, RULE_PROPERTIES, 'or'),
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  return { items: rows.map((row) => toRule(row)), total }
}

/** @throws {BowlineError} NOT_FOUND */
export async function get(ctx: TenantContext, id: number): Promise<Rule> {
  return toRule((await findRule(ctx.db, id)) ?? unknownRule())
}

/** @throws {BowlineError} INVALID_INPUT for a pattern; NOT_FOUND for an unused tag; POLICY_LIMIT */
export async function create(ctx: TenantContext, body: RuleBody): Promise<Rule> {
  const columns = toRuleColumns(body, NOTHING)
  await requireUsable(ctx, body, columns)
  const rule = await ctx.db.transaction().execute(async (db) => {
    await requireMembers({ ...ctx, db }, body.people)
    await requireRoom(db, columns)
    const row = await insertRule(db, { tenant_id: ctx.tenant, ...columns })
    const after = toRule(row)
    await audit({ ...ctx, db }, 'firewall-rule.create', String(row.id), { after })
    return after
  })
  ctx.emit({ type: 'policy.changed' })
  return rule
}

/**
 * Replaces a rule. Networks, people and roles that the body leaves out are kept: a client that does not know them must not
 * widen the rule.
 * @throws {BowlineError} NOT_FOUND, INVALID_INPUT
 */
export async function update(ctx: TenantContext, id: number, body: RuleBody): Promise<Rule> {
  const changes = async (inner: TenantContext, row: RuleRow): Promise<Partial<RuleRow>> => {
    const columns = toRuleColumns(body, row)
    await requireUsable(inner, body, columns)
    await requireRoom(inner.db, columns, id)
    return columns
  }
  return change(ctx, id, changes, (inner) => requireMembers(inner, body.people))
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(ctx: TenantContext, id: number): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const row = (await deleteRule(db, id)) ?? unknownRule()
    await audit({ ...ctx, db }, 'firewall-rule.remove', String(id), { before: toRule(row) })
  })
  ctx.emit({ type: 'policy.changed' })
}

/**
 * Reorders the rules in one transaction.
 * @param ids of every rule of the namespace, in evaluation order
 * @throws {BowlineError} RULES_CHANGED when the rules have changed: the caller has not seen them all
 */
export async function setOrder(ctx: TenantContext, ids: readonly number[]): Promise<void> {
  const changed = await ctx.db.transaction().execute(async (db) => {
    const rules = inOrder(await lockRules(db))
    const before = rules.map(({ id }) => id)
    requireAll(rules, ids)
    if (before.every((id, place) => id === ids[place])) return false
    await setPriorities(db, prioritiesFor(rules, ids))
    await audit({ ...ctx, db }, 'firewall-rule.order', ctx.tenant, { before, after: ids })
    return true
  })
  if (changed) ctx.emit({ type: 'policy.changed' })
}

/** @throws {BowlineError} NOT_FOUND, INVALID_INPUT, CONFLICT, TAG_LIMIT */
export async function addTag(ctx: TenantContext, id: number, tag: string): Promise<void> {
  await change(ctx, id, async (inner, row) => {
    await requireUsed(inner, [tag])
    return { tags: withTag(row, tag) }
  })
}

/** @throws {BowlineError} NOT_FOUND, INVALID_INPUT, TAG_LIMIT */
export async function setTags(ctx: TenantContext, id: number, tags: readonly string[]): Promise<void> {
  await change(ctx, id, async (inner, row) => {
    const wanted = withTags(row, tags)
    await requireUsed(inner, wanted)
    return { tags: wanted }
  })
}

/** @throws {BowlineError} NOT_FOUND, INVALID_INPUT, also when no tag is named */
export async function removeTag(ctx: TenantContext, id: number, tag: string | undefined): Promise<void> {
  if (tag === undefined) return fail('INVALID_INPUT', { field: 'tag', rule: 'is required' }, ['tag'])
  await change(ctx, id, (_, row) => Promise.resolve({ tags: withoutTag(row, tag) }))
}

/**
 * Returns a function that evaluates connections against the namespace's current rules.
 * @param findGrant asked where they deny a member; without it, the rules alone decide
 */
export async function ruleEvaluator(ctx: TenantContext, findGrant?: FindGrant): Promise<Judge> {
  const rules = await findActiveRules(ctx.db)
  for (const { id, source_ip, username, hostname } of rules) {
    reportUnusable(ctx, `firewall rule ${id}`, { source_ip, username, hostname })
  }
  const asksWho = rules.some(({ people, roles }) => people.length > 0 || roles.length > 0)
  const known = new Map<UserId, Promise<Role | undefined>>()
  const roleFor = (id: UserId): Promise<Role | undefined> => {
    const asked = known.get(id) ?? roleOf(ctx, id)
    known.set(id, asked)
    return asked
  }
  return async ({ person: id, uid, ...attempt }) => {
    if (id === undefined) return evaluate(rules, attempt)
    const role = asksWho ? await roleFor(id) : undefined
    const decision = evaluate(rules, { ...attempt, person: role && { id, role } })
    if (decision.allow || uid === undefined || !findGrant) return decision
    const { tags } = attempt.device
    const grant = await findGrant(ctx, { person: id, device: uid, tags, user: attempt.user })
    const present = grant && (await roleFor(id))
    return present ? evaluateGranted(rules, { ...attempt, person: { id, role: present } }, grant) : decision
  }
}

type Sized = Parameters<typeof sizeOf>[0]

/** The present rules, and those that a change would make of them. */
export interface Proposal {
  readonly before: readonly RuleRow[]
  readonly after: readonly RuleRow[]
  /** Ids of added and replaced rules among `after`. */
  readonly proposed: ReadonlySet<number>
}

/** Newer than every stored rule, as an added one is. */
const NEW_RULE = 2_147_483_647

/**
 * Rules as a change would leave them; nothing is changed.
 * @throws {BowlineError} NOT_FOUND for a rule; INVALID_INPUT; RULES_CHANGED for an order that does not name all rules
 */
export async function propose(ctx: TenantContext, { id, rule, order, rules: list }: DryRunBody): Promise<Proposal> {
  const before = await listEveryRule(ctx.db)
  if (list) return proposeAll(ctx, before, list)
  if (order) {
    const rules = inOrder(before)
    requireAll(rules, order)
    const priorities = prioritiesFor(rules, order)
    const after = rules.map((row) => ({ ...row, priority: priorities.get(row.id) ?? row.priority }))
    return { before, after, proposed: new Set() }
  }
  const present = id === undefined ? undefined : (before.find((row) => row.id === id) ?? unknownRule())
  const others = before.filter((row) => row !== present)
  if (!rule) return { before, after: others, proposed: new Set() }
  const columns = toRuleColumns(rule, present ?? NOTHING)
  await requireUsable(ctx, rule, columns)
  await requireRoom(ctx.db, columns, id)
  const changed = { ...blank(ctx, NEW_RULE), ...present, ...columns }
  return { before, after: [...others, changed], proposed: new Set([changed.id]) }
}

/** Of new rules with the same priority the one that is listed first is evaluated first. */
async function proposeAll(
  ctx: TenantContext,
  before: readonly RuleRow[],
  list: NonNullable<DryRunBody['rules']>,
): Promise<Proposal> {
  const stored = new Map(before.map((row) => [row.id, row]))
  const after: RuleRow[] = []
  const proposed = new Set<number>()
  for (const [place, { id, ...rule }] of list.entries()) {
    const present = id === undefined ? undefined : (stored.get(id) ?? unknownRule())
    // No rule is named twice.
    if (present) stored.delete(present.id)
    const columns = toRuleColumns(rule, present ?? NOTHING)
    const row = { ...blank(ctx, NEW_RULE - place), ...present, ...columns }
    after.push(row)
    if (present && isDeepStrictEqual(toRule(row), toRule(present))) continue
    await requireUsable(ctx, rule, columns)
    proposed.add(row.id)
  }
  requireSize(before, after)
  return { before, after, proposed }
}

function blank(ctx: TenantContext, id: number) {
  return { id, tenant_id: ctx.tenant, created_at: new Date(ctx.clock.now()) }
}

/** @throws {BowlineError} RULES_CHANGED unless the ids are those of all rules */
function requireAll(rules: readonly RuleRow[], ids: readonly number[]): void {
  const named = new Set(ids)
  if (ids.length !== rules.length || !rules.every(({ id }) => named.has(id))) fail('RULES_CHANGED', {}, ['rules'])
}

/**
 * Changes a rule under its lock, so that concurrent changes are not lost. Notifies the listeners.
 * @param prepare runs in the same transaction, before the rule is locked
 */
async function change(
  ctx: TenantContext,
  id: number,
  changesOf: (inner: TenantContext, row: RuleRow) => Promise<Partial<RuleRow>>,
  prepare: (inner: TenantContext) => Promise<void> = () => Promise.resolve(),
): Promise<Rule> {
  const rule = await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    await prepare(inner)
    const before = (await lockRule(db, id)) ?? unknownRule()
    const changes = await changesOf(inner, before)
    await updateRule(db, id, changes)
    const after = { ...before, ...changes }
    await audit(inner, 'firewall-rule.update', String(id), { before: toRule(before), after: toRule(after) })
    return toRule(after)
  })
  ctx.emit({ type: 'policy.changed' })
  return rule
}

function unknownRule(): never {
  return fail('NOT_FOUND', { what: 'The firewall rule' })
}

/**
 * Holds memberships until the transaction ends, so that nobody leaves between this check and the rule. Locks members before
 * rules, as their removal does.
 * @throws {BowlineError} NOT_FOUND
 */
async function requireMembers(ctx: TenantContext, people: readonly UserId[] | undefined): Promise<void> {
  if (people?.length && !(await holdMemberships(ctx, people))) fail('NOT_FOUND', { what: 'A member' }, ['people'])
}

async function requireUsable(
  ctx: TenantContext,
  { source_ip, username, filter }: RuleBody,
  { source_networks }: Pick<RuleRow, 'source_networks'>,
): Promise<void> {
  if (source_networks.length > 0 && source_ip !== ANYWHERE) {
    const rule = `must be ${ANYWHERE} in a rule with source_networks; send an empty list of them to use a pattern`
    fail('INVALID_INPUT', { field: 'source_ip', rule }, ['source_ip'])
  }
  requirePatterns({ source_ip, username, 'filter.hostname': filter.hostname })
  await requireUsed(ctx, filter.tags ?? [])
}

/**
 * Limits the total cost of the rules: every connection attempt evaluates all of them, even without a credential.
 * @param own id of the changed rule
 * @throws {BowlineError} POLICY_LIMIT; INVALID_INPUT when the patterns of all rules together would be too large
 */
async function requireRoom(db: TenantContext['db'], changed: Sized, own?: number): Promise<void> {
  const stored = await readPatterns(db)
  const { rules } = LIMITS.policy
  if (own === undefined && stored.length >= rules) fail('POLICY_LIMIT', { what: 'firewall rules', limit: rules })
  const lists = (['source_networks', 'people'] as const).filter((field) => changed[field].length > 0)
  const others = stored.filter(({ id }) => id !== own)
  requireSize(stored, [...others, changed], [...lists, 'username', 'source_ip', 'filter.hostname'])
}

/**
 * A change that does not increase the total is allowed, even if existing rules exceed the limit.
 * @param fields of the request that are to blame
 * @throws {BowlineError} INVALID_INPUT
 */
function requireSize(before: readonly Sized[], after: readonly Sized[], fields = ['rules']): void {
  const sum = (some: readonly Sized[]): number => some.reduce((size, rule) => size + sizeOf(rule), 0)
  if (sum(after) <= LIMITS.policy.patternSizeOfRules || sum(after) <= sum(before)) return
  const rule = 'the patterns, networks and people of all rules are too many together'
  fail('INVALID_INPUT', { field: fields[0] ?? 'rules', rule }, fields)
}

/** Fields that earlier clients do not send. */
type Lists = Pick<RuleRow, 'source_networks' | 'people' | 'roles'>
const NOTHING: Lists = { source_networks: [], people: [], roles: [] }

/** @param kept where the body has none */
function toRuleColumns({ filter, source_networks: networks, people, roles, ...rest }: RuleBody, kept: Lists) {
  const canonical = networks && [...new Set(networks.map((text) => canonicalNetwork(text) ?? text))]
  const lists = {
    source_networks: canonical ?? kept.source_networks,
    people: people ?? kept.people,
    roles: roles ?? kept.roles,
  }
  return { ...rest, ...lists, ...toColumns(filter) }
}

/** Converts a row to its API representation. */
export function toRule(row: RuleRow): Rule {
  const { id, tenant_id, action, active, priority, source_ip, source_networks, username } = row
  const source = { source_ip, source_networks: [...source_networks] }
  const about = { username, people: [...row.people], roles: [...row.roles] }
  return { id, tenant_id, action, active, priority, ...source, ...about, filter: toFilter(row) }
}
