// An authority that binds accounts to its customers (RFC 8555 section 7.3.4): a real one that requires it.
import { randomBytes } from 'node:crypto'
import { type AcmeAuthority, authorityMissing, startAcmeAuthority } from '@bowline/testkit/acme-authority'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bootServer } from '../testing/boot.ts'
import { DOMAIN, PATIENCE, acmeSettings, handshake, keptLog } from './testing.ts'

const KEY = randomBytes(32).toString('base64url')
const note = authorityMissing === undefined ? '' : ` (${authorityMissing})`
let authority: AcmeAuthority
beforeAll(async () => {
  if (authorityMissing === undefined) authority = await startAcmeAuthority({ 'kid-1': KEY })
})
afterAll(() => authority?.close())

async function serverWith(external: Record<string, string>) {
  const kept = keptLog()
  const server = await bootServer({ settings: { ...acmeSettings(authority), ...external }, log: kept.log })
  onTestFinished(() => server.close())
  return kept
}

describe.skipIf(authorityMissing !== undefined)(`an authority that asks for external accounts${note}`, () => {
  it('issues nothing without one, and the log says which settings are missing', async () => {
    const log = await serverWith({})
    await until(() => log.text().includes('BOWLINE_ACME_EAB_KID and BOWLINE_ACME_EAB_HMAC_KEY must be set'), PATIENCE)
    expect(authority.orders()).toBe(0)
  })

  it('refuses a wrong key, which the log does not show', async () => {
    const wrong = randomBytes(32).toString('base64url')
    const log = await serverWith({ BOWLINE_ACME_EAB_KID: 'kid-1', BOWLINE_ACME_EAB_HMAC_KEY: wrong })
    await until(() => log.text().includes('The authority refuses the account'), PATIENCE)
    expect(log.text()).not.toContain(wrong)
    expect(authority.orders()).toBe(0)
  })

  it('issues certificates to an account that is bound', async () => {
    const log = await serverWith({ BOWLINE_ACME_EAB_KID: 'kid-1', BOWLINE_ACME_EAB_HMAC_KEY: KEY })
    const root = await authority.root()
    const shown = await until(() => handshake(authority.ports.tls, DOMAIN, root).catch(() => undefined), PATIENCE)
    expect(shown.subjectAltName).toBe(`DNS:${DOMAIN}`)
    expect(log.text()).not.toContain(KEY)
  })
})
