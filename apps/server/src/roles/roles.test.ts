// Roles of a namespace over HTTP: what they give, to whom, on which devices, and what they never give.
import { randomBytes } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import { allOperations, operations } from '@bowline/contract/operations'
import { GRANTABLE, type GrantablePermission } from '@bowline/contract/roles'
import { type DeviceUid, SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Member, addRule, memberOf, signedInTo } from '../access-requests/testing.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { apiKeys, audit, auth, deviceJobs, devices, roles, tags } = operations
let server: BootedServer
let owner: Person
let observer: Member
let lab: DeviceUid
let shop: DeviceUid
let number = 0
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  owner = await server.addPerson(`owner-${(number += 1)}`)
  observer = await memberOf(server, owner, 'observer')
  ;[lab, shop] = [(await server.acceptedDevice(owner)).uid, (await server.acceptedDevice(owner)).uid]
  await owner.client.call(devices.setTags, { params: { uid: lab }, body: { tags: ['lab'] } })
  await owner.client.call(devices.setTags, { params: { uid: shop }, body: { tags: ['shop'] } })
})

async function sessionOn(device: DeviceUid): Promise<SessionUid> {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  const at = new Date()
  const row = { uid, tenant_id: owner.tenant, device_uid: device, username: 'root', ip_address: '', active: true }
  await server.database
    .system()
    .insertInto('sessions')
    .values({ ...row, authenticated: true, type: 'web', term: '', started_at: at, last_seen: at })
    .execute()
  return uid
}

async function role(permissions: readonly GrantablePermission[], limit: readonly string[] | null, name = 'helpers') {
  const body = { name, permissions: [...permissions], tags: limit && [...limit] }
  return (await owner.client.call(roles.create, { body })).body
}
const assign = (member: Member, ids: readonly string[], by = owner.client) =>
  by.call(roles.assign, { params: { tenant: owner.tenant, uid: member.person.id }, body: { roles: [...ids] } })
async function give(permissions: readonly GrantablePermission[], limit: readonly string[] | null, to = observer) {
  const made = await role(permissions, limit, `role ${(number += 1)}`)
  await assign(to, [made.id])
  return made
}
const note = (member: Member, uid: DeviceUid) =>
  outcome(member.client.call(devices.update, { params: { uid }, body: { note: 'seen' } }))
const rename = (member: Member, uid: DeviceUid, name: string) =>
  outcome(member.client.call(devices.rename, { params: { uid }, body: { name } }))
const read = (member: Member) => outcome(member.client.call(audit.list, { query: {} }))

describe('a role of the namespace', () => {
  it('gives its permissions beside the role of the member, at once, and takes them back', async () => {
    expect([await read(observer), await note(observer, lab)]).toEqual(['403 FORBIDDEN', '403 FORBIDDEN'])
    const auditor = await give(['auditRead'], null)
    expect([await read(observer), await note(observer, lab)]).toEqual(['200', '403 FORBIDDEN'])
    const body = { name: 'other', permissions: ['deviceUpdate' as const], tags: null }
    await owner.client.call(roles.update, { params: { id: auditor.id }, body })
    expect([await read(observer), await note(observer, lab)]).toEqual(['403 FORBIDDEN', '200'])
    await owner.client.call(roles.remove, { params: { id: auditor.id } })
    expect(await note(observer, lab)).toBe('403 FORBIDDEN')
  })

  it('is limited to devices with one of its tags', async () => {
    await give(['deviceUpdate', 'deviceRename', 'deviceRemove', 'tunnelCreate'], ['lab', 'attic'])
    expect([await note(observer, lab), await note(observer, shop)]).toEqual(['200', '403 FORBIDDEN'])
    expect(await rename(observer, lab, 'lab-1')).toBe('200')
    const open = (uid: DeviceUid) =>
      outcome(
        observer.client.call(operations.tunnels.create, {
          params: { uid },
          body: { host: '127.0.0.1', port: 80, ttl: 60 },
        }),
      )
    expect((await open(shop)).slice(0, 3)).toBe('403')
    expect((await open(lab)).slice(0, 3)).not.toBe('403')
    const stable = (uid: DeviceUid) =>
      outcome(observer.client.call(devices.update, { params: { uid }, body: { public_url: true } }))
    expect([await stable(shop), await stable(lab)]).toEqual(['403 FORBIDDEN', '200'])
    expect(await note(observer, `${shop}\0` as DeviceUid)).toBe('403 FORBIDDEN')
    const removal = (uid: DeviceUid) => outcome(observer.client.call(devices.remove, { params: { uid } }))
    expect([await removal(shop), await removal(lab)]).toEqual(['403 FORBIDDEN', '200'])
  })

  it('is limited to sessions of devices with one of its tags', async () => {
    await give(['sessionClose'], ['lab'])
    const close = (uid: string, device: DeviceUid) =>
      outcome(observer.client.call(operations.sessions.close, { params: { uid }, body: { device } }))
    const [own, other] = [await sessionOn(lab), await sessionOn(shop)]
    expect((await close(own, lab)).slice(0, 3)).not.toBe('403')
    // Whatever device the call names.
    expect([await close(other, shop), await close(other, lab)]).toEqual(['403 FORBIDDEN', '403 FORBIDDEN'])
  })

  it('gives nothing about devices of another namespace, whatever their tags', async () => {
    await give(['deviceUpdate'], ['lab'])
    const other = await server.addPerson(`other-${(number += 1)}`)
    const { uid } = await server.acceptedDevice(other)
    await other.client.call(devices.setTags, { params: { uid }, body: { tags: ['lab'] } })
    expect(await note(observer, uid)).toBe('403 FORBIDDEN')
    const token = (await observer.person.client.call(auth.getUser, {})).body
    expect(token.grants).toEqual([])
  })

  it('changes many devices only without a limit', async () => {
    const start = () =>
      outcome(
        observer.client.call(deviceJobs.create, {
          body: { action: 'tag', tags: ['new'], select: { uids: [lab] } } as never,
        }),
      )
    await give(['deviceTagUpdate', 'deviceTagCreate'], ['lab'])
    expect((await start()).slice(0, 3)).not.toBe('200')
    expect(await outcome(observer.client.call(tags.rename, { params: { tag: 'lab' }, body: { tag: 'new' } }))).toBe(
      '403 FORBIDDEN',
    )
  })

  it('has no more than an administrator, and nothing that decides who gets in', async () => {
    for (const permission of [
      'namespaceEditMember',
      'firewallEdit',
      'publicKeyCreate',
      'apiKeyCreate',
      'sessionUpdate',
    ]) {
      const body = { name: 'more', permissions: [permission], tags: null }
      expect(await outcome(owner.client.call(roles.create, { body } as never))).toBe('400 INVALID_INPUT permissions.0')
    }
  })

  it('is not what API keys have', async () => {
    await give(['auditRead'], null)
    const administrator = await memberOf(server, owner, 'administrator')
    await give(['auditRead'], null, administrator)
    const { body } = await administrator.client.call(apiKeys.create, {
      body: { name: 'build', expires_at: -1, role: 'observer' },
    })
    const byKey = server.client().call(audit.list, { query: {}, headers: { 'x-api-key': body.id } })
    expect(await outcome(byKey)).toBe('403 FORBIDDEN')
  })

  it('ends with the membership', async () => {
    await give(['auditRead'], null)
    const params = { tenant: owner.tenant, uid: observer.person.id }
    await owner.client.call(operations.members.remove, { params })
    await server.addMember(owner.tenant, observer.person.id, 'observer')
    const back = await signedInTo(server, owner, observer.person)
    expect(await outcome(back.call(audit.list, { query: {} }))).toBe('403 FORBIDDEN')
  })

  it('says at sign-ins what it gives', async () => {
    await give(['sessionPlay', 'sessionClose'], ['lab'])
    const again = await observer.person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
    expect(again.body.grants).toEqual([{ permissions: ['sessionPlay', 'sessionClose'], tags: ['lab'] }])
  })
})

describe('the tags of roles', () => {
  it('are put on devices and taken off only by who may edit members', async () => {
    const operator = await memberOf(server, owner, 'operator')
    await give(['sessionPlay'], ['vault'])
    const set = (member: Member, uid: DeviceUid, wanted: string[]) =>
      outcome(member.client.call(devices.setTags, { params: { uid }, body: { tags: wanted } }))
    expect(await set(operator, shop, ['shop', 'vault'])).toBe('403 POLICY_CHANGE')
    expect(await set(operator, shop, ['shop', 'attic'])).toBe('200')
    await owner.client.call(devices.setTags, { params: { uid: shop }, body: { tags: ['vault'] } })
    expect(await set(operator, shop, ['attic'])).toBe('403 POLICY_CHANGE')
    expect(await outcome(operator.client.call(tags.rename, { params: { tag: 'vault' }, body: { tag: 'safe' } }))).toBe(
      '403 POLICY_CHANGE',
    )
  })

  it('are not what another tag can be renamed to', async () => {
    const operator = await memberOf(server, owner, 'operator')
    await give(['deviceRemove'], ['vault'], operator)
    const renamed = operator.client.call(tags.rename, { params: { tag: 'shop' }, body: { tag: 'vault' } })
    expect(await outcome(renamed)).toBe('409 CONFLICT tag')
    expect(await outcome(operator.client.call(devices.remove, { params: { uid: shop } }))).toBe('403 FORBIDDEN')
  })

  it('are renamed and removed while no device has them', async () => {
    await give(['sessionPlay'], ['vault'])
    expect((await owner.client.call(tags.list, {})).body).toContain('vault')
    await owner.client.call(tags.rename, { params: { tag: 'vault' }, body: { tag: 'safe' } })
    expect((await owner.client.call(roles.list, {})).body.map((one) => one.tags)).toEqual([['safe']])
    await owner.client.call(tags.remove, { params: { tag: 'safe' } })
    expect((await owner.client.call(roles.list, {})).body).toEqual([])
  })

  it('are in no install key of somebody who may only create those', async () => {
    await role(['sessionPlay'], ['vault'])
    await give(['installKeyCreate'], null)
    const create = (wanted: string[], name: string) =>
      outcome(
        observer.client.call(operations.installKeys.create, {
          body: { name, accepts: true, tags: wanted, max_uses: 1, expires_in_days: 1 },
        }),
      )
    expect(await create(['lab', 'vault'], 'with-vault')).toBe('403 POLICY_CHANGE')
    expect(await create(['lab'], 'without')).toBe('200')
    await addRule(owner, { action: 'allow', filter: { tags: ['lab'] } })
    expect(await create(['lab'], 'with-a-rule')).toBe('403 POLICY_CHANGE')
  })

  it('are renamed with the tag; a role for no other tag is removed with it', async () => {
    await give(['deviceUpdate'], ['lab'])
    await owner.client.call(tags.rename, { params: { tag: 'lab' }, body: { tag: 'attic' } })
    expect([await note(observer, lab), await note(observer, shop)]).toEqual(['200', '403 FORBIDDEN'])
    await owner.client.call(tags.remove, { params: { tag: 'attic' } })
    expect((await owner.client.call(roles.list, {})).body).toEqual([])
    expect(await note(observer, lab)).toBe('403 FORBIDDEN')
  })
})

describe('the roles of a namespace', () => {
  it('are seen by members, with who has them, and changed by administrators', async () => {
    const made = await give(['sessionPlay'], ['lab'])
    const { body } = await observer.client.call(roles.list, {})
    expect(body).toEqual([{ ...made, members: [observer.person.id] }])
    const operator = await memberOf(server, owner, 'operator')
    const wanted = { name: 'mine', permissions: ['auditRead' as const], tags: null }
    expect([
      await outcome(operator.client.call(roles.create, { body: wanted })),
      await outcome(operator.client.call(roles.update, { params: { id: made.id }, body: wanted })),
      await outcome(operator.client.call(roles.remove, { params: { id: made.id } })),
      await outcome(assign(operator, [made.id], operator.client)),
    ]).toEqual(Array.from({ length: 4 }, () => '403 FORBIDDEN'))
  })

  it('have a name of their own', async () => {
    await role(['auditRead'], null, 'Auditors')
    expect(await outcome(role(['auditRead'], null, 'auditors'))).toBe('409 CONFLICT name')
    // Its lower case differs between JavaScript and PostgreSQL.
    await role(['auditRead'], null, 'İzmir')
    expect(await outcome(role(['auditRead'], null, 'İzmir'))).toBe('409 CONFLICT name')
    expect(await outcome(role(['auditRead'], null, 'Owner'))).toBe('400 INVALID_INPUT name')
    expect(await outcome(role(['auditRead'], null, '\u202eevil'))).toBe('400 INVALID_INPUT name')
  })

  it('are limited to tags only where they are about devices', async () => {
    expect(await outcome(role(['auditRead'], ['lab']))).toBe('400 INVALID_INPUT permissions')
    expect(await outcome(role(['sessionPlay'], []))).toBe('400 INVALID_INPUT tags')
  })

  it('are assigned to members of the namespace only, and to nobody above the caller', async () => {
    const made = await role(['auditRead'], null)
    const stranger = { ...observer, person: await server.addPerson(`stranger-${(number += 1)}`) }
    expect(await outcome(assign(stranger, [made.id]))).toBe('404 NOT_FOUND')
    expect(await outcome(assign(observer, ['00000000-0000-4000-8000-000000000000']))).toBe('404 NOT_FOUND')
    const administrator = await memberOf(server, owner, 'administrator')
    expect(await outcome(assign({ ...observer, person: owner }, [made.id], administrator.client))).toBe(
      '403 ROLE_TOO_HIGH',
    )
    const other = await server.addPerson(`other-${(number += 1)}`)
    const foreign = { params: { tenant: owner.tenant, uid: observer.person.id }, body: { roles: [] } }
    expect((await outcome(other.client.call(roles.assign, foreign))).slice(0, 3)).toBe('404')
  })

  it('are limited in number', async () => {
    await server.database
      .system()
      .insertInto('namespace_roles')
      .values(
        Array.from({ length: LIMITS.roles.perNamespace }, (_, at) => ({
          tenant_id: owner.tenant,
          name: `role ${at}`,
          permissions: ['auditRead'],
          tags: null,
        })),
      )
      .execute()
    expect(await outcome(role(['auditRead'], null, 'one more'))).toBe('403 NAMESPACE_FULL')
  })

  it('are in the audit log with what they were and are', async () => {
    const made = await give(['auditRead'], null)
    await owner.client.call(roles.remove, { params: { id: made.id } })
    const { body } = await owner.client.call(audit.list, { query: {} })
    const found = body.filter(({ action }) => action.startsWith('role.') || action === 'member.roles')
    expect(found.map(({ action }) => action)).toEqual(['role.remove', 'member.roles', 'role.create'])
    expect(found[0]?.details).toMatchObject({ name: made.name, members: [observer.person.id] })
    expect(found[1]?.details).toEqual({ before: [], after: [made.name] })
  })
})

it('limits by tags what is about one device, in every call that needs such a permission', () => {
  const about: readonly string[] = GRANTABLE.devices
  const without = allOperations().filter(({ operation: { access, path } }) => {
    if (access.kind !== 'member' || access.permission === undefined || !about.includes(access.permission)) return false
    return access.per === undefined && path.includes('{uid}')
  })
  expect(without.map(({ id }) => id)).toEqual([])
})
