// Audit streams in tests: rows of them, and nodes that send these, on the database of a booted server.
import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@bowline/base/clock'
import type { TenantId } from '@bowline/contract/schemas/common'
import { sql } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Log } from '../platform/log.ts'
import { nowhere } from '../platform/positions.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import type { BootedServer } from '../testing/boot.ts'
import { type StreamSender, createStreamSender, sealNames } from './sending.ts'
import type { StreamRow } from './store.ts'

export interface StreamValues {
  readonly url: string
  readonly format?: StreamRow['format']
  readonly nouns?: string[]
  readonly failing_since?: Date
}

export interface StreamWorld {
  /** @param options.allowed whether the egress rules allow private addresses */
  startNode(options?: { readonly allowed?: boolean; readonly clock?: Clock }): StreamSender
  /** Adds a stream whose place is the end of the log. */
  addStream(tenant: TenantId, values: StreamValues): Promise<string>
  find(id: string): Promise<StreamRow>
  contextOf(tenant: TenantId): TenantContext
  /** Writes an entry about a device. */
  write(tenant: TenantId, target: string): Promise<void>
}

export function streamWorld(server: BootedServer, log: Log): StreamWorld {
  const system = server.database.system()
  const key = new SecretKey(server.secretKey)
  const contextOf = (tenant: TenantId): TenantContext => ({
    actor: { kind: 'system', name: 'audit streams' },
    tenant,
    db: server.database.forTenant(tenant),
    clock: systemClock,
    log,
    edition: 'community',
    source: '',
    locate: nowhere,
    hasListeners: () => false,
    emit: () => undefined,
  })
  return {
    startNode: ({ allowed = true, clock = systemClock } = {}) =>
      createStreamSender({
        system,
        clock,
        log,
        secretKey: key,
        egress: { privateNetworks: allowed, allowed: () => allowed },
        contextOf,
      }),
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
          sealed_url: key.seal(sealNames.url(id), Buffer.from(url)),
          sealed_secret: key.seal(sealNames.secret(id), Buffer.from('whs-test')),
          sealed_authorization: key.seal(sealNames.authorization(id), Buffer.from('Splunk confidential-token')),
          position,
          disabled_reason: null,
        })
        .execute()
      return id
    },
    find: (id) => system.selectFrom('audit_streams').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    contextOf,
    write: (tenant, target) => audit(contextOf(tenant), 'device.accept', target),
  }
}
