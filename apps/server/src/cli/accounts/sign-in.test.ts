// `bowline sign-in …`: what operators do when nobody can sign in any more.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLIENT, startOpenidProvider } from '../../single-sign-on/openid/testing/provider.ts'
import { createIdentityProvider } from '../../single-sign-on/saml/testing/identity-provider.ts'
import { type BootedServer, PASSWORD, bootServer, databaseUrl, outcome } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await bowline('user create ada - ada@example.com', PASSWORD)
})
afterAll(() => server.close())

const environment = () => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
  BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
})
const { bowline, json, refusal, run } = commandLine(environment)
const login = () => server.client().call(operations.auth.login, { body: { username: 'ada', password: PASSWORD } })

it('sets the provider by its metadata, and switches SAML on after a test only', async () => {
  const provider = await createIdentityProvider()
  const file = join(server.dataFolder, 'metadata.xml')
  await writeFile(file, `<!DOCTYPE x>${provider.metadata()}`)
  expect((await refusal(`sign-in set-metadata ${file}`))[1]).toContain('document type declaration')
  await writeFile(file, provider.metadata())
  expect(await bowline(`sign-in set-metadata ${file}`)).toContain(provider.entityId)
  expect((await refusal('sign-in saml on'))[1]).toContain('after a successful test only')
  expect(await bowline('sign-in show')).toContain('SAML: off')
})

it('manages OpenID providers, and shows them among the ways to sign in', async () => {
  const idp = await startOpenidProvider('https://bowline.example.com/api/user/openid/callback')
  const { client_id, client_secret } = CLIENT
  expect(await bowline(`sign-in openid add Directory ${idp.issuer} ${client_id} - --off`, client_secret)).toContain(
    'off',
  )
  const again = await refusal(`sign-in openid add Directory ${idp.issuer} ${client_id} secret`)
  expect(again[1]).toContain('name')
  expect((await refusal('sign-in openid add Other idp.example.com bowline secret'))[1]).toContain('issuer')
  expect(await bowline('sign-in openid list')).toMatch(
    new RegExp(`^Directory +off +${idp.issuer} +bowline +\\S+/openid/callback/http_\\S+$`, 'm'),
  )
  expect((await server.client().call(operations.instance.info, {})).body.authentication.openid).toEqual([])
  await bowline('sign-in openid on Directory')
  expect((await server.client().call(operations.instance.info, {})).body.authentication.openid).toHaveLength(1)
  expect(await json('sign-in show')).toMatchObject({
    local: true,
    saml: false,
    openid: [{ name: 'Directory', issuer: idp.issuer, enabled: true }],
    passkeys: 'localhost',
  })
  expect(await bowline('sign-in openid test Directory')).toContain(`${idp.issuer}/auth`)
  await idp.close()
  expect((await refusal('sign-in openid test Directory'))[1]).toContain('cannot be reached')
  await bowline('sign-in openid remove Directory')
  expect((await refusal('sign-in openid test Directory'))[1]).toContain('Directory')
  expect(await bowline('sign-in show')).not.toContain('Directory')
})

it('warns of a guessed redirect address, and of an issuer without TLS', async () => {
  const guessed = await bowline('sign-in openid add Guessed https://idp.example.org bowline secret --off')
  expect(guessed).toContain('BOWLINE_PUBLIC_URL is not set here')
  expect(guessed).not.toContain('must begin with https://')
  const plain = await run(
    ['sign-in', 'openid', 'add', 'Plain', 'http://idp.example.org', 'bowline', 'secret', '--off'],
    '',
    {
      ...environment(),
      BOWLINE_PUBLIC_URL: 'https://bowline.example.com',
    },
  )
  expect(plain.out).toContain('https://bowline.example.com/api/user/openid/callback/')
  expect(plain.out).toContain('must begin with https://')
  expect(plain.out).not.toContain('BOWLINE_PUBLIC_URL')
  for (const name of ['Guessed', 'Plain']) await bowline(`sign-in openid remove ${name}`)
})

it('sets the roles that groups of a provider give', async () => {
  await bowline('namespace create cellar ada')
  await bowline('sign-in openid add Cellar https://idp.example.com bowline secret --off')
  expect(await bowline('sign-in role add Cellar Staff cellar observer')).toContain('gives the role observer in cellar')
  await bowline('sign-in role add Cellar Staff cellar operator')
  await bowline('sign-in role add saml crew cellar observer')
  expect(await json('sign-in role list')).toEqual([
    { provider: 'saml', group: 'crew', namespace: 'cellar', role: 'observer' },
    { provider: 'Cellar', group: 'Staff', namespace: 'cellar', role: 'operator' },
  ])
  expect((await refusal('sign-in role add Cellar Staff cellar owner'))[1]).toContain('role')
  expect((await refusal('sign-in role add Cellar Staff nowhere observer'))[1]).toContain('nowhere')
  expect((await refusal('sign-in role add Attic Staff cellar observer'))[1]).toContain('Attic')
  await bowline('sign-in role remove Cellar Staff cellar')
  expect((await refusal('sign-in role remove Cellar Staff cellar'))[1]).toContain('Staff')
  await bowline('sign-in role remove saml crew cellar')
  await bowline('sign-in openid remove Cellar')
  expect(await json('sign-in role list')).toEqual([])
})

it('keeps the last way to sign in when a provider is switched off or removed', async () => {
  await bowline('sign-in openid add Only https://idp.example.com bowline secret')
  await bowline('sign-in local off')
  expect(await bowline('sign-in show')).toContain('Passkeys: off')
  for (const verb of ['off', 'remove']) {
    expect((await refusal(`sign-in openid ${verb} Only`))[1]).toContain('nobody could sign in')
  }
  await bowline('sign-in local on')
  await bowline('sign-in openid remove Only')
})

it('accepts passwords again when they were switched off', async () => {
  expect((await refusal('sign-in local off'))[1]).toContain('nobody could sign in')
  const db = server.database.system()
  await db.updateTable('sign_in_settings').set({ local: false, saml: true, tested_at: new Date() }).execute()
  expect(await outcome(login())).toBe('501 LOCAL_SIGN_IN_DISABLED')
  await bowline('sign-in local on')
  expect(await outcome(login())).toBe('200')
})

it('lets an account of a provider sign in by a password that the operator sets', async () => {
  const db = server.database.system()
  const saml = { password_hash: null, auth_methods: ['saml'] as const, origin: 'SAML' as const }
  await db.updateTable('users').set(saml).where('username', '=', 'ada').execute()
  expect(await outcome(login())).toBe('401 BAD_CREDENTIALS')
  await bowline('user password ada -', PASSWORD)
  expect(await outcome(login())).toBe('200')
})
