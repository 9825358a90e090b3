// Limits of the sign-ins that strangers begin at a provider, through a running server.
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { hashOf } from '../platform/secrets/hash.ts'
import { type BootedServer, bootServer } from '../testing/boot.ts'
import { createIdentityProvider } from './saml/testing/identity-provider.ts'
import { ORIGIN, type SamlSignIns, samlSignIns } from './saml/testing/sign-in.ts'
import { testBrowser } from './testing/browser.ts'

const { perSource, perNetwork, total } = LIMITS.providerRequests
const clock = new ManualClock()
let server: BootedServer
let saml: SamlSignIns
beforeAll(async () => {
  server = await bootServer({ clock, settings: { BOWLINE_PUBLIC_URL: ORIGIN, BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
  saml = samlSignIns(server, await createIdentityProvider(), clock)
  await saml.enable(await server.setUpAccount())
})
afterAll(() => server.close())
beforeEach(() => server.database.system().deleteFrom('provider_requests').execute())

const begin = async (address: string) => {
  const { path } = operations.saml.start
  return (await server.fetch(path, { headers: { 'x-forwarded-for': address } })).status
}
/** Adds requests of strangers. */
const fill = async (count: number, source: (nth: number) => string): Promise<void> => {
  const rows = Array.from({ length: count }, (_, nth) => ({
    id_hash: hashOf(`request ${nth}`),
    browser_hash: hashOf('stranger'),
    provider_id: null,
    sealed: null,
    tester: null,
    source: source(nth),
    expires_at: new Date(clock.now() + 60_000),
  }))
  while (rows.length > 0) {
    await server.database.system().insertInto('provider_requests').values(rows.splice(0, 5_000)).execute()
  }
}
const sources = async (): Promise<(string | null)[]> =>
  (await server.database.system().selectFrom('provider_requests').select('source').execute()).map((row) => row.source)

it('refuses further sign-ins to a source and to a network with too many under way, and to no others', async () => {
  await fill(perSource, () => '203.0.113.7')
  expect([await begin('203.0.113.7'), await begin('203.0.113.8')]).toEqual([429, 200])
  await server.database.system().deleteFrom('provider_requests').execute()
  await fill(perNetwork, (nth) => `2001:db8:7:${(nth % 100).toString(16)}::/64`)
  expect([await begin('2001:db8:7:ffff::1'), await begin('2001:db8:8::1')]).toEqual([429, 200])
})

it('makes room for somebody else when all together are too many', async () => {
  await fill(total, (nth) => `2001:db8:${(nth >> 1).toString(16)}:${nth & 1}::/64`)
  expect(await begin('198.51.100.20')).toBe(200)
  const left = await sources()
  expect(left).toContain('198.51.100.20')
  expect(left.length).toBeLessThanOrEqual(total)
})

it('finishes a sign-in that was counted', async () => {
  const browser = testBrowser(server)
  const attributes = { emailAddress: 'counted@example.org', displayName: 'counted' }
  const page = await saml.signIn(browser, { nameId: 'counted', attributes })
  expect((await browser.signIn(page)).email).toBe('counted@example.org')
})
