// Roles that groups of providers give at sign-ins, through a running server with a real OpenID provider and with SAML.
import { operations } from '@bowline/contract/operations'
import type { GroupRole } from '@bowline/contract/operations/single-sign-on'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { unique } from '../registration/testing.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'
import { CLIENT, type TestOpenidProvider, type TestPerson, startOpenidProvider } from './openid/testing/provider.ts'
import { createIdentityProvider } from './saml/testing/identity-provider.ts'
import { ORIGIN, samlSignIns } from './saml/testing/sign-in.ts'
import { testBrowser } from './testing/browser.ts'

const { mfa, openid, singleSignOn, namespaces, members, scim } = operations
const clock = new ManualClock()
let server: BootedServer
let admin: Person
let owner: Person
let idp: TestOpenidProvider
let provider = ''

beforeAll(async () => {
  idp = await startOpenidProvider(`${ORIGIN}/api/user/openid/callback`)
  server = await bootServer({
    clock,
    settings: {
      BOWLINE_PUBLIC_URL: ORIGIN,
      BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
    },
  })
  admin = await server.setUpAccount()
  const { body } = await admin.client.call(openid.add, { body: { name: 'Directory', issuer: idp.issuer, ...CLIENT } })
  provider = body.id
})
afterAll(async () => {
  await server.close()
  await idp.close()
})
beforeEach(async () => {
  owner = await server.addPerson(unique())
})

const namespaceOf = async ({ client, tenant }: Person) =>
  (await client.call(namespaces.get, { params: { tenant } })).body
const memberOf = async (of: Person, email: string) =>
  (await namespaceOf(of)).members.find((member) => member.email === email)
const setRoles = (roles: readonly GroupRole[]) =>
  admin.client.call(openid.update, { params: { id: provider }, body: { roles: [...roles] } })
const roleIn = async (of: Person, group: string, role: GroupRole['role']): Promise<GroupRole> => ({
  group,
  namespace: (await namespaceOf(of)).name,
  role,
})
const person = (groups: readonly string[]): TestPerson & { readonly email: string } => {
  const name = unique()
  return { sub: name, email: `${name}@example.org`, email_verified: true, name, groups }
}
async function signIn(who: TestPerson, id = provider) {
  const browser = testBrowser(server)
  const { url } = (await (await browser.send(`/api/user/openid/${id}/auth`)).json()) as { url: string }
  const back = await idp.authorize(url, who)
  return browser.signIn(await browser.open(back.pathname + back.search))
}

describe('a sign-in by OpenID Connect', () => {
  it('gives the highest role of the groups, and follows them at the next one', async () => {
    await setRoles([await roleIn(owner, 'staff', 'observer'), await roleIn(owner, 'ops', 'operator')])
    const who = person(['staff', 'ops'])
    const signedIn = await signIn(who)
    expect(signedIn.tenant).toBe(owner.tenant)
    expect(await memberOf(owner, who.email)).toMatchObject({ role: 'operator', status: 'accepted', provisioned: true })
    await signIn({ ...who, groups: ['staff'] })
    expect(await memberOf(owner, who.email)).toMatchObject({ role: 'observer' })
    const after = await signIn({ ...who, groups: [] })
    expect([await memberOf(owner, who.email), after.tenant]).toEqual([undefined, ''])
  })

  it('compares groups as they are', async () => {
    await setRoles([await roleIn(owner, 'Staff', 'observer')])
    const who = person(['staff', 'staff2'])
    await signIn(who)
    expect(await memberOf(owner, who.email)).toBeUndefined()
  })

  it('gives no role in a namespace that is full, and those in others', async () => {
    const other = await server.addPerson(unique())
    await setRoles([await roleIn(owner, 'staff', 'observer'), await roleIn(other, 'staff', 'observer')])
    const params = { namespace: owner.tenant }
    await admin.client.call(operations.administration.setLimits, { params, body: { members: 1 } })
    const who = person(['staff'])
    const signedIn = await signIn(who)
    expect(signedIn.tenant).toBe(other.tenant)
    expect(await memberOf(owner, who.email)).toBeUndefined()
    await admin.client.call(operations.administration.setLimits, { params, body: { members: 2 } })
    await signIn(who)
    expect(await memberOf(owner, who.email)).toMatchObject({ role: 'observer' })
  })

  it('takes what a role gave when the role is gone', async () => {
    await setRoles([await roleIn(owner, 'staff', 'observer')])
    const who = person(['staff'])
    await signIn(who)
    await setRoles([])
    expect(await memberOf(owner, who.email)).toBeDefined()
    await signIn(who)
    expect(await memberOf(owner, who.email)).toBeUndefined()
  })

  it('leaves memberships alone that were made by hand, and owners', async () => {
    const who = person([])
    const signedIn = await signIn(who)
    const params = { tenant: owner.tenant }
    await owner.client.call(members.add, { params, body: { email: who.email, role: 'administrator' } })
    await setRoles([await roleIn(owner, 'staff', 'observer')])
    await signIn({ ...who, groups: ['staff'] })
    expect(await memberOf(owner, who.email)).toMatchObject({ role: 'administrator', provisioned: false })
    await signIn(who)
    expect(await memberOf(owner, who.email)).toMatchObject({ id: signedIn.id, role: 'administrator' })
  })

  it('leaves the roles to SCIM where a namespace has it on', async () => {
    await setRoles([await roleIn(owner, 'staff', 'observer')])
    const [before, after] = [person(['staff']), person(['staff'])]
    await signIn(before)
    await owner.client.call(scim.update, { params: { tenant: owner.tenant }, body: { enabled: true } })
    await signIn({ ...before, groups: [] })
    await signIn(after)
    expect(await memberOf(owner, before.email)).toMatchObject({ role: 'observer', provisioned: false })
    expect(await memberOf(owner, after.email)).toBeUndefined()
  })

  it('changes nothing when the groups cannot be read', async () => {
    await setRoles([await roleIn(owner, 'staff', 'observer')])
    const who = person(['staff'])
    await signIn(who)
    const many = Array.from({ length: 501 }, (_, index) => `group ${index}`)
    await signIn({ ...who, groups: many })
    expect(await memberOf(owner, who.email)).toMatchObject({ role: 'observer' })
  })

  it('ends no membership that another provider gave', async () => {
    const body = { name: unique(), issuer: idp.issuer, ...CLIENT, roles: [await roleIn(owner, 'staff', 'operator')] }
    const second = (await admin.client.call(openid.add, { body })).body
    expect(second.roles).toEqual(body.roles)
    const who = person(['staff'])
    await setRoles([])
    await signIn(who, second.id)
    await signIn({ ...who, groups: [] })
    expect(await memberOf(owner, who.email)).toMatchObject({ role: 'operator', provisioned: true })
    await admin.client.call(openid.remove, { params: { id: second.id } })
    expect(await memberOf(owner, who.email)).toMatchObject({ role: 'operator', provisioned: false })
  })

  it('holds under many sign-ins of a person at once', async () => {
    const other = await server.addPerson(unique())
    await setRoles([await roleIn(owner, 'a', 'operator'), await roleIn(other, 'b', 'observer')])
    const who = person([])
    await signIn(who)
    const turns = Array.from({ length: 8 }, (_, index) => ({ ...who, groups: index % 2 ? ['a', 'b'] : ['b'] }))
    for (let round = 0; round < 5; round += 1) await Promise.all(turns.map((one) => signIn(one)))
    await signIn({ ...who, groups: ['b'] })
    expect([await memberOf(owner, who.email), (await memberOf(other, who.email))?.role]).toEqual([
      undefined,
      'observer',
    ])
  })
})

describe('a role that groups give', () => {
  it('cannot be changed by hand', async () => {
    await setRoles([await roleIn(owner, 'staff', 'observer')])
    const who = person(['staff'])
    const { id } = await signIn(who)
    const params = { tenant: owner.tenant, uid: id }
    const change = owner.client.call(members.update, { params, body: { role: 'operator' } })
    expect(await outcome(change)).toBe('403 ROLE_PROVISIONED')
  })

  it('is never that of an owner, and is in a namespace that exists, once', async () => {
    const good = await roleIn(owner, 'staff', 'observer')
    // @ts-expect-error -- the contract has no such role
    expect(await outcome(setRoles([{ ...good, role: 'owner' }]))).toBe('400 INVALID_INPUT roles.0.role')
    expect(await outcome(setRoles([{ ...good, namespace: 'nowhere' }]))).toBe('400 INVALID_INPUT roles')
    expect(await outcome(setRoles([good, { ...good, role: 'operator' }]))).toBe('400 INVALID_INPUT roles')
  })
})

describe('a sign-in by SAML', () => {
  it('gives the roles of the mapped attribute, and the tester shows them before', async () => {
    const saml = await createIdentityProvider()
    const signIns = samlSignIns(server, saml, clock)
    await signIns.enable(admin)
    const { name: namespace } = await namespaceOf(owner)
    const roles = [{ group: 'crew', namespace, role: 'operator' as const }]
    const { body } = await admin.client.call(singleSignOn.setProvider, { body: { group_attribute: 'memberOf', roles } })
    expect(body.provider).toMatchObject({ group_attribute: 'memberOf', roles, tested_at: expect.any(String) })
    const email = `${unique()}@example.org`
    const parts = (crew: string) => ({
      nameId: email,
      attributes: { emailAddress: email, displayName: 'Grace', memberof: crew },
    })
    const check = async (crew: string) => {
      const response = signIns.answer('_any', parts(crew)).SAMLResponse
      return (await admin.client.call(singleSignOn.check, { body: { response } })).body.roles
    }
    expect(await check('crew')).toEqual([{ namespace, role: 'operator', outcome: 'add' }])
    expect(await memberOf(owner, email)).toBeUndefined()
    const browser = testBrowser(server)
    await browser.signIn(await signIns.signIn(browser, parts('crew')))
    expect(await memberOf(owner, email)).toMatchObject({ role: 'operator', provisioned: true })
    expect(await check('crew')).toEqual([{ namespace, role: 'operator', outcome: 'keep' }])
    expect(await check('shore')).toEqual([{ namespace, role: '', outcome: 'remove' }])
    await browser.signIn(await signIns.signIn(browser, parts('shore')))
    expect(await memberOf(owner, email)).toBeUndefined()
  })

  describe('whose answer does not list the groups', () => {
    const VALUE = '<saml:AttributeValue>crew</saml:AttributeValue>'
    const CLAIM = 'http://schemas.microsoft.com/claims/groups.link'
    const attribute = (name: string, values: string) => `<saml:Attribute Name="${name}">${values}</saml:Attribute>`

    it.each([
      { what: 'a link to them', xml: attribute(CLAIM, VALUE), groups: 'too-many', role: 'operator' },
      { what: 'as many as are read', xml: attribute('crews', VALUE.repeat(256)), groups: 'too-many', role: 'operator' },
      { what: 'one less', xml: attribute('crews', VALUE.repeat(255)), groups: 'named', role: 'operator' },
      { what: 'no attribute of them', xml: '', groups: 'none', role: undefined },
    ])('keeps or takes the role, as the tester says: $what', async ({ xml, groups, role }) => {
      const saml = await createIdentityProvider()
      const signIns = samlSignIns(server, saml, clock)
      await admin.client.call(mfa.prove, { body: { current_password: PASSWORD } })
      await signIns.enable(admin)
      const { name: namespace } = await namespaceOf(owner)
      const roles = [{ group: 'crew', namespace, role: 'operator' as const }]
      await admin.client.call(singleSignOn.setProvider, { body: { group_attribute: 'crews', roles } })
      const email = `${unique()}@example.org`
      const parts = (attributeXml: string) => ({
        nameId: email,
        attributes: { emailAddress: email, displayName: 'Grace' },
        attributeXml,
      })
      const browser = testBrowser(server)
      await browser.signIn(await signIns.signIn(browser, parts(attribute('crews', VALUE))))
      expect(await memberOf(owner, email)).toMatchObject({ role: 'operator' })
      const response = signIns.answer('_any', parts(xml)).SAMLResponse
      const { body } = await admin.client.call(singleSignOn.check, { body: { response } })
      const planned = groups === 'too-many' ? [] : [{ namespace, role: role ?? '', outcome: role ? 'keep' : 'remove' }]
      expect([body.groups, body.roles]).toEqual([groups, planned])
      await browser.signIn(await signIns.signIn(browser, parts(xml)))
      expect((await memberOf(owner, email))?.role).toBe(role)
    })
  })
})
