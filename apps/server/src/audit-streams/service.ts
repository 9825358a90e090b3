// Use cases of audit streams. Whoever may read the audit log may have it sent to an address.
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { AuditStream, AuditStreamBody, auditStreams } from '@bowline/contract/operations/fleet/audit-streams'
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import type { AlertDeps } from '../alerts/deps.ts'
import { newSecret, requireReceiver, withoutUndefined } from '../alerts/receiver.ts'
import { isAuditNoun } from '../audit/nouns.ts'
import { audit, auditActor } from '../audit/service.ts'
import { type TenantContext, actorMay, roleOf } from '../context.ts'
import { lockNamespace } from '../devices/acceptance.ts'
import { batchOf } from './body.ts'
import { post, sealNames } from './sending.ts'
import {
  countBehind,
  countStreams,
  deleteStream,
  findStream,
  insertStream,
  listStreams,
  lockStream,
  updateStream,
} from './settings-store.ts'
import type { StreamRow } from './store.ts'

export interface StreamRouteDeps extends Pick<AlertDeps, 'ids' | 'clock' | 'log' | 'secretKey' | 'egress'> {
  /** Sends what is due. */
  readonly wake: () => void
  /** Limits test entries per namespace. */
  readonly tests: RateLimiter
  /** Limits changes per namespace that have a stream sent at once, to an address that somebody types. */
  readonly retries: RateLimiter
}

export async function list(ctx: TenantContext): Promise<AuditStream[]> {
  const streams: AuditStream[] = []
  for (const row of await listStreams(ctx.db)) streams.push(await toStream(ctx, row))
  return streams
}

/** @throws {BowlineError} INVALID_INPUT for an address that may not be dialled, or a noun without actions; NAMESPACE_FULL; TOO_MANY_REQUESTS */
export async function create(
  deps: StreamRouteDeps,
  ctx: TenantContext,
  { url, authorization, ...fields }: AuditStreamBody,
): Promise<AuditStream & { secret: string }> {
  requireNouns(fields.nouns)
  if (fields.recordings) requirePlay(ctx)
  await requireReceiver(deps.egress, url)
  if (!deps.retries.take(ctx.tenant)) fail('TOO_MANY_REQUESTS', { seconds: 60 })
  const id = deps.ids.uuid()
  const secret = newSecret()
  const stream = await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    await lockNamespace(db)
    const limit = LIMITS.auditStreams.perNamespace
    if ((await countStreams(db)) >= limit) fail('NAMESPACE_FULL', { limit, what: 'audit streams' })
    const made = await insertStream(db, {
      ...fields,
      id,
      tenant_id: ctx.tenant,
      ...addressOf(deps, id, url),
      sealed_secret: deps.secretKey.seal(sealNames.secret(id), Buffer.from(secret)),
      sealed_authorization: sealedAuthorization(deps, id, authorization),
      failing_since: null,
      disabled_reason: null,
    })
    // The first entry of the stream: it tells the receiver that it works.
    await audit(inner, 'audit-stream.create', id, described(made))
    return toStream(inner, made)
  })
  deps.wake()
  return { ...stream, secret }
}

/** @throws {BowlineError} INVALID_INPUT as {@link create}, and for a new host without the authorization; NOT_FOUND; TOO_MANY_REQUESTS */
export async function update(
  deps: StreamRouteDeps,
  ctx: TenantContext,
  id: string,
  { url, authorization, ...change }: Input<typeof auditStreams.update>['body'],
): Promise<AuditStream> {
  if (!(await findStream(ctx.db, id))) fail('NOT_FOUND', { what: 'The audit stream' })
  requireNouns(change.nouns ?? [])
  if (change.recordings === true) requirePlay(ctx)
  if (url !== undefined) await requireReceiver(deps.egress, url)
  const stream = await ctx.db.transaction().execute(async (db) => {
    const inner = { ...ctx, db }
    const before = (await lockStream(db, id)) ?? fail('NOT_FOUND', { what: 'The audit stream' })
    const address = url === undefined ? undefined : addressOf(deps, id, url)
    // Who may change a stream may not learn its secrets, and so not have them sent to an address of their own.
    // Nor have recordings told of where only they can read it.
    if (before.recordings && url !== undefined) requirePlay(ctx)
    const isMoved = url !== undefined && originOf(deps, before) !== new URL(url).origin
    if (isMoved && before.sealed_authorization !== null && authorization === undefined)
      fail('INVALID_INPUT', { field: 'authorization', rule: 'must be given again for another host' }, ['authorization'])
    const isRetried = [url, authorization].some((value) => value !== undefined) || (change.active && !before.active)
    if (isRetried && !deps.retries.take(ctx.tenant)) fail('TOO_MANY_REQUESTS', { seconds: 60 })
    const values = {
      ...withoutUndefined(change),
      ...address,
      ...(authorization === undefined ? {} : { sealed_authorization: sealedAuthorization(deps, id, authorization) }),
    }
    const after = await updateStream(db, id, values, isRetried === true)
    await audit(inner, 'audit-stream.update', id, { before: described(before), after: described(after) })
    return toStream(inner, after)
  })
  deps.wake()
  return stream
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(ctx: TenantContext, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const name = await deleteStream(db, id)
    if (name === undefined) fail('NOT_FOUND', { what: 'The audit stream' })
    await audit({ ...ctx, db }, 'audit-stream.remove', id, { name })
  })
}

/** Sends one entry at once, also while the stream is paused; its place stays. @throws {BowlineError} NOT_FOUND; TOO_MANY_REQUESTS */
export async function test(
  deps: StreamRouteDeps,
  ctx: TenantContext,
  id: string,
): Promise<{ arrived: boolean; answer: string }> {
  const stream = (await findStream(ctx.db, id)) ?? fail('NOT_FOUND', { what: 'The audit stream' })
  if (!deps.tests.take(ctx.tenant)) fail('TOO_MANY_REQUESTS', { seconds: 60 })
  const actor = auditActor(ctx.actor)
  const entry: AuditEntry = {
    id: 0,
    at: new Date(deps.clock.now()).toISOString(),
    actor: { ...actor, name: actor.id },
    action: 'audit-stream.test',
    target: id,
    target_name: stream.name,
    ip: ctx.source,
    details: { test: true },
  }
  const { arrived, answer } = await post(deps, stream, batchOf(stream.format, [entry]))
  await audit(ctx, 'audit-stream.test', id, { name: stream.name, arrived, answer })
  return { arrived, answer }
}

/** What a recording is about is for those who may play it. @throws {BowlineError} FORBIDDEN */
function requirePlay({ actor }: TenantContext): void {
  if (!actorMay(actor, 'sessionPlay')) fail('FORBIDDEN', { role: roleOf(actor) ?? 'none' })
}

/** With one that no action has, a stream would send nothing and look well. */
function requireNouns(nouns: readonly string[]): void {
  const unknown = nouns.findIndex((noun) => !isAuditNoun(noun))
  if (unknown < 0) return
  const field = `nouns.${unknown}`
  fail('INVALID_INPUT', { field, rule: 'must be a noun of actions, such as device' }, [field])
}

function addressOf({ secretKey }: StreamRouteDeps, id: string, url: string): { host: string; sealed_url: Buffer } {
  return { host: new URL(url).host, sealed_url: secretKey.seal(sealNames.url(id), Buffer.from(url)) }
}

/** Scheme, host and port of what is stored; undefined where the key of the server does not open it. */
function originOf({ secretKey, log }: StreamRouteDeps, { id, sealed_url }: StreamRow): string | undefined {
  try {
    return new URL(secretKey.open(sealNames.url(id), sealed_url).toString()).origin
  } catch (error) {
    log.error('audit-streams.error', { stream: id, err: error })
    return undefined
  }
}

function sealedAuthorization({ secretKey }: StreamRouteDeps, id: string, value: string | null): Buffer | null {
  return value === null ? null : secretKey.seal(sealNames.authorization(id), Buffer.from(value))
}

/** For the audit log: nothing that is a secret. */
function described({ name, active, format, nouns, recordings, host, sealed_authorization }: StreamRow) {
  return { name, active, format, nouns: [...nouns], recordings, host, has_authorization: sealed_authorization !== null }
}

async function toStream({ db }: TenantContext, row: StreamRow): Promise<AuditStream> {
  return {
    ...described(row),
    id: row.id,
    behind: await countBehind(db, row.position),
    answer: row.answer,
    failing_since: row.failing_since?.toISOString() ?? null,
    disabled_reason: row.disabled_reason,
    created_at: row.created_at.toISOString(),
  }
}
