// Context for tests that call use cases directly, without HTTP.
import { systemClock } from '@bowline/base/clock'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../context.ts'
import type { Database } from '../db/database.ts'
import { silentLog } from '../platform/log.ts'
import { nowhere } from '../platform/positions.ts'

/** A system actor in a namespace, whose events nobody receives. @param rest replaces parts of it */
export function testContext(database: Database, tenant: TenantId, rest: Partial<TenantContext> = {}): TenantContext {
  return {
    actor: { kind: 'system', name: 'test' },
    tenant,
    db: database.forTenant(tenant),
    clock: systemClock,
    log: silentLog,
    edition: 'community',
    source: '',
    locate: nowhere,
    hasListeners: () => false,
    emit: () => undefined,
    ...rest,
  }
}
