// Audit streams in tests: rows of them, and nodes that send these, on a database without a server, whose own sender would
// take part.
import { randomBytes, randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { randomIds } from '../platform/ids.ts'
import { type Log, silentLog } from '../platform/log.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { testContext } from '../testing/context.ts'
import { testDatabase } from '../testing/database.ts'
import { type StreamSender, createStreamSender, sealNames } from './sending.ts'
import type { StreamRouteDeps } from './service.ts'
import type { StreamRow } from './store.ts'

export interface StreamValues {
  readonly url: string
  readonly format?: StreamRow['format']
  readonly nouns?: string[]
  readonly recordings?: boolean
  readonly failing_since?: Date
}

export interface StreamWorld {
  readonly system: Kysely<Schema>
  /** For the use cases of members. */
  readonly deps: StreamRouteDeps
  addNamespace(): Promise<TenantId>
  /** @param options.allowed whether the egress rules allow private addresses */
  startNode(options?: { readonly allowed?: boolean; readonly clock?: Clock }): StreamSender
  /** Adds a stream whose place is the end of the log. */
  addStream(tenant: TenantId, values: StreamValues): Promise<string>
  find(id: string): Promise<StreamRow>
  contextOf(tenant: TenantId): TenantContext
  /** Writes an entry about a device. */
  write(tenant: TenantId, target: string): Promise<void>
  close(): Promise<void>
}

export async function streamWorld(log: Log = silentLog): Promise<StreamWorld> {
  const scratch = await testDatabase()
  const { database } = scratch
  const system = database.system()
  const secretKey = new SecretKey(randomBytes(32).toString('hex'))
  const contextOf = (tenant: TenantId): TenantContext => testContext(database, tenant, { log })
  const common = { system, clock: systemClock, log, secretKey, contextOf, ids: randomIds }
  const egressOf = (allowed: boolean) => ({ privateNetworks: allowed, allowed: () => allowed })
  return {
    system,
    deps: {
      ...common,
      egress: egressOf(true),
      wake: () => undefined,
      tests: new RateLimiter(systemClock, { perSecond: 1, burst: 1 }),
      retries: new RateLimiter(systemClock, { perSecond: 1, burst: 1_000 }),
    },
    async addNamespace() {
      const name = randomBytes(12).toString('hex')
      const [tenant, owner] = [TenantId.parse(randomUUID()), UserId.parse(name)]
      const person = { id: owner, name, username: name, email: `${name}@example.com`, status: 'confirmed' } as const
      await system.insertInto('users').values(person).execute()
      await system.insertInto('namespaces').values({ tenant_id: tenant, name, owner }).execute()
      return tenant
    },
    startNode: ({ allowed = true, clock = systemClock } = {}) =>
      createStreamSender({ ...common, clock, egress: egressOf(allowed) }),
    async addStream(tenant, { url, ...values }) {
      const id = randomUUID()
      const position = sql<number>`(select coalesce(max(id), 0) from audit_log)`
      await system
        .insertInto('audit_streams')
        .values({
          id,
          tenant_id: tenant,
          name: 'SIEM',
          format: 'ndjson',
          failing_since: null,
          ...values,
          host: new URL(url).host,
          sealed_url: secretKey.seal(sealNames.url(id), Buffer.from(url)),
          sealed_secret: secretKey.seal(sealNames.secret(id), Buffer.from('whs-test')),
          sealed_authorization: secretKey.seal(sealNames.authorization(id), Buffer.from('Splunk confidential-token')),
          position,
          disabled_reason: null,
        })
        .execute()
      return id
    },
    find: (id) => system.selectFrom('audit_streams').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    contextOf,
    write: (tenant, target) => audit(contextOf(tenant), 'device.accept', target),
    close: () => scratch.close(),
  }
}
