// Patterns stored past the API, for example by an earlier version with other limits.
import { testContext } from '../testing/context.ts'
import { createHash, randomBytes } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TenantContext } from '../context.ts'
import { ruleEvaluator } from '../firewall/service.ts'
import { type Log, silentLog } from '../platform/log.ts'
import { mayLogIn } from '../public-keys/service.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
})
afterAll(() => server.close())

const TOO_LARGE = `(a{${LIMITS.policy.patternSize}}){2}`
const device = { name: 'vm', tags: [] }

/** Context of the namespace with a log that collects warnings. */
function context(): { ctx: TenantContext; warnings: unknown[] } {
  const warnings: unknown[] = []
  const log: Log = { ...silentLog, warn: (ev, fields) => warnings.push({ ev, ...fields }) }
  const ctx = testContext(server.database, person.tenant, { log })
  return { ctx, warnings }
}

describe('stored pattern over the budget', () => {
  it('logs an unusable firewall pattern once with its rule id and fails closed each time', async () => {
    const { id } = await server.database
      .system()
      .insertInto('firewall_rules')
      .values({
        tenant_id: person.tenant,
        action: 'deny',
        active: true,
        priority: 1,
        source_ip: '.*',
        username: TOO_LARGE,
        hostname: '.*',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const { ctx, warnings } = context()
    for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
      const judge = await ruleEvaluator(ctx)
      expect(await judge({ address, user: 'root', person: undefined, device })).toEqual({ allow: false, rule: id })
    }
    expect(warnings).toEqual([
      {
        ev: 'policy.pattern-unusable',
        tenant: person.tenant,
        what: `firewall rule ${id}`,
        field: 'username',
        rule: 'repeats too much: make its repeats smaller',
      },
    ])
  })

  it('logs an unusable key pattern once with its fingerprint and denies the login', async () => {
    const blob = randomBytes(51)
    const fingerprint = createHash('md5')
      .update(blob)
      .digest('hex')
      .replace(/..(?!$)/g, '$&:')
    const key = {
      tenant_id: person.tenant,
      fingerprint,
      blob,
      data: '',
      name: 'old',
      username: '.*',
      hostname: TOO_LARGE,
      service: true,
    }
    await server.database.system().insertInto('public_keys').values(key).execute()
    const { ctx, warnings } = context()
    for (const user of ['root', 'ada']) expect(await mayLogIn(ctx, blob, { user, device })).toBe(false)
    expect(warnings).toMatchObject([{ what: `public key old (${fingerprint})`, field: 'hostname' }])
  })
})
