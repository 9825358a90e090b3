// `bowline certificate` on servers without an authority; acme.test.ts has those with one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer, databaseUrl } from '../testing/boot.ts'
import { commandLine } from '../cli/testing.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
})
afterAll(() => server.close())

let more: Record<string, string> = {}
const { bowline, json, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
  BOWLINE_DATA_DIR: server.dataFolder,
  ...more,
}))

describe('bowline certificate', () => {
  it('shows that a server of its own machine has none', async () => {
    expect(await json('certificate')).toEqual({
      acme: false,
      directory: '',
      email: '',
      challenge: null,
      certificates: [],
    })
    expect(await bowline('certificate')).toMatch(/^USE +SOURCE/)
  })

  it('refuses to renew what no authority issues', async () => {
    expect(await refusal('certificate renew')).toEqual([
      2,
      'bowline: BOWLINE_ACME_EMAIL is not set: no authority issues the certificates.',
    ])
  })

  it('says that a server with an authority must have run before', async () => {
    more = { BOWLINE_ACME_EMAIL: 'admin@example.com', BOWLINE_DOMAIN: 'bowline.example.com' }
    expect(await json('certificate')).toMatchObject({
      acme: true,
      challenge: 'http-01',
      certificates: [{ use: 'console', state: 'missing', names: ['bowline.example.com'], renews_at: null }],
    })
    expect(await refusal('certificate renew')).toEqual([
      2,
      'bowline: No server with BOWLINE_ACME_EMAIL has run on this database yet.',
    ])
    more = {}
  })
})
