// Several nodes with one database and a real authority.
import { systemClock } from '@bowline/base/clock'
import { parseSettings } from '@bowline/contract/config'
import { type AcmeAuthority, authorityMissing, startAcmeAuthority } from '@bowline/testkit/acme-authority'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TlsMaterial } from '../platform/network/certificate.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { type HttpDoor, createHttpDoor } from './challenges/http-door.ts'
import { findHttpAnswer } from './challenges/proofs.ts'
import { type Keeper, createKeeper } from './keeper.ts'
import { readAcmeSettings } from './settings.ts'
import { renewNow } from './service.ts'
import { PATIENCE, acmeSettings, keptLog } from './testing.ts'

const note = authorityMissing === undefined ? '' : ` (${authorityMissing})`

describe.skipIf(authorityMissing !== undefined)(`several nodes${note}`, () => {
  const { log, text } = keptLog()
  const secretKey = new SecretKey('0f'.repeat(32))
  const keepers: Keeper[] = []
  let authority: AcmeAuthority
  let scratch: TestDatabase
  let door: HttpDoor
  let acme: NonNullable<Awaited<ReturnType<typeof readAcmeSettings>>>
  beforeAll(async () => {
    authority = await startAcmeAuthority()
    scratch = await testDatabase()
    const { BOWLINE_ACME_DNS_HOOK: _, ...settings } = acmeSettings(authority)
    const read = await readAcmeSettings(parseSettings('server', settings))
    if (!read) throw new Error('no settings')
    acme = read
    const db = scratch.database.system()
    door = createHttpDoor({
      clock: systemClock,
      log,
      host: '127.0.0.1',
      port: authority.ports.http,
      connections: { perSource: 100, total: 100, isExempt: () => false },
      find: (token, name) => findHttpAnswer(db, token, name, Date.now()),
      isOwnName: () => false,
      httpsPort: () => 443,
    })
    await door.start()
  })
  afterAll(async () => {
    await Promise.all(keepers.map((keeper) => keeper.stop()))
    await door?.close()
    await scratch?.close()
    await authority?.close()
  })

  /** A node. @returns what it shows, the newest last */
  function node(name: string): { readonly keeper: Keeper; readonly shows: TlsMaterial[] } {
    const shows: TlsMaterial[] = []
    const live = { use: (_: string, material: TlsMaterial) => void shows.push(material) }
    const db = scratch.database.system()
    const keeper = createKeeper({ db, clock: systemClock, log, secretKey, acme, node: name, live })
    keepers.push(keeper)
    return { keeper, shows }
  }

  it('make one order, and show the same certificate', async () => {
    const nodes = [node('a'), node('b'), node('c')]
    await Promise.all(nodes.map(({ keeper }) => keeper.load()))
    for (const { keeper } of nodes) keeper.start()
    await until(() => {
      for (const { keeper } of nodes) keeper.wake()
      return nodes.every(({ shows }) => shows.length > 0)
    }, PATIENCE)
    expect(authority.orders()).toBe(1)
    expect(new Set(nodes.map(({ shows }) => shows.at(-1)?.cert)).size).toBe(1)
    expect(nodes[0]?.shows.at(-1)?.key).toMatch(/^-----BEGIN PRIVATE KEY-----/)
  })

  it('show what there is at their next start, without an order', async () => {
    const { keeper, shows } = node('d')
    await keeper.load()
    expect(shows).toHaveLength(1)
    expect(authority.orders()).toBe(1)
  })

  it('take over what a node that died was doing', async () => {
    const db = scratch.database.system()
    const past = new Date(Date.now() - 1_000)
    await db.updateTable('acme_certificates').set({ leased_by: 'dead', leased_until: past }).execute()
    await renewNow({ db, acme, clock: systemClock })
    const { keeper, shows } = node('e')
    await keeper.load()
    keeper.start()
    await until(() => shows.length === 2, PATIENCE)
    expect(text()).not.toContain('certificate.failed')
    expect(authority.orders()).toBe(2)
  })
})
