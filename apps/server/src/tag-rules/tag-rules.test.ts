// Tag rules over HTTP: what they tag, when the tags leave, and that nobody changes policy by them who may not.
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import type { Role } from '@bowline/contract/roles'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { audit, auth, devices, firewall, tagRules, tags } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
})
afterAll(() => server.close())

let people = 0
const someone = (): Promise<Person> => server.addPerson(`ruler-${(people += 1)}`)

async function memberOf(owner: Person, role: Role): Promise<Person['client']> {
  const person = await someone()
  await server.addMember(owner.tenant, person.id, role)
  const { body } = await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
  return server.client(body.token)
}

const make = (client: Person['client'], query: string, tag = 'kiosk') =>
  client.call(tagRules.create, { body: { tag, query } })
const tagsOf = async ({ client }: Person, uid: DeviceUid) =>
  (await client.call(devices.get, { params: { uid } })).body.tags
const hasTags = (person: Person, uid: DeviceUid, wanted: readonly string[]) =>
  until(async () => JSON.stringify((await tagsOf(person, uid)).toSorted()) === JSON.stringify(wanted.toSorted()))
const settled = ({ client }: Person) => until(async () => (await client.call(tagRules.list, {})).body.waiting === 0)

describe('a tag rule', () => {
  it('tags what matches, counts it, and takes the tag away when it matches no more', async () => {
    const owner = await someone()
    const [one, other] = [
      await server.acceptedDevice(owner, { hostname: 'kiosk-1' }),
      await server.acceptedDevice(owner, { hostname: 'till-1' }),
    ]
    const { body: rule } = await make(owner.client, 'name:kiosk-')
    expect(rule).toMatchObject({ tag: 'kiosk', query: 'name:kiosk-', active: true, matching: 1 })
    await hasTags(owner, one.uid, ['kiosk'])
    await settled(owner)
    expect(await tagsOf(owner, other.uid)).toEqual([])
    const listed = (await owner.client.call(tagRules.list, {})).body
    expect(listed).toMatchObject({ rules: [{ id: rule.id, matching: 1, tagged: 1 }], waiting: 0, devices: 2 })
    // At once: whoever changes a device sees what rules make of it.
    await owner.client.call(devices.update, { params: { uid: one.uid }, body: { name: 'till-2' } })
    expect(await tagsOf(owner, one.uid)).toEqual([])
  })

  it('tags what a word with a minus does not leave out', async () => {
    const owner = await someone()
    const [one, other] = [
      await server.acceptedDevice(owner, { hostname: 'lab-1' }),
      await server.acceptedDevice(owner, { hostname: 'till-1' }),
    ]
    expect((await make(owner.client, '-name:till', 'no-till')).body).toMatchObject({ matching: 1 })
    expect((await make(owner.client, '-lab -note:rack', 'no-lab')).body).toMatchObject({ matching: 1 })
    await hasTags(owner, one.uid, ['no-till'])
    await hasTags(owner, other.uid, ['no-lab'])
    // The devices without a tag are as little a search of a rule as those with it.
    expect(await outcome(make(owner.client, '-tag:lab'))).toContain('400')
  })

  it('tags a device that registers later, pending as it is, and one that reports something new', async () => {
    const owner = await someone()
    await make(owner.client, 'name:late-')
    const { uid } = await server.registerDevice(owner.tenant, { hostname: 'late-1' })
    await hasTags(owner, uid, ['kiosk'])
    await make(owner.client, 'agent:9.9.9', 'new-agent')
    await settled(owner)
    await sql`update devices set info = info || '{"version": "9.9.9"}' where uid = ${uid}`.execute(
      server.database.system(),
    )
    await hasTags(owner, uid, ['kiosk', 'new-agent'])
    expect((await owner.client.call(devices.get, { params: { uid } })).body.status).toBe('pending')
  })

  it('leaves tags of people alone, and takes no room from them', async () => {
    const owner = await someone()
    const { uid } = await server.acceptedDevice(owner, { hostname: 'own-1' })
    const put = (own: readonly string[]) =>
      owner.client.call(devices.setTags, { params: { uid }, body: { tags: [...own] } })
    await put(['kiosk', 'mine'])
    const { body: rule } = await make(owner.client, 'name:own-')
    await make(owner.client, 'name:own-', 'another')
    await hasTags(owner, uid, ['kiosk', 'mine', 'another'])
    await put(['kiosk', 'mine', 'third'])
    expect(await tagsOf(owner, uid)).toEqual(['kiosk', 'mine', 'third'])
    await owner.client.call(tagRules.remove, { params: { id: rule.id } })
    await settled(owner)
    expect(await tagsOf(owner, uid)).toEqual(['kiosk', 'mine', 'third'])
  })

  it('takes its tags along when it is switched off, changed or deleted', async () => {
    const owner = await someone()
    const { uid } = await server.acceptedDevice(owner, { hostname: 'gone-1' })
    const { id } = (await make(owner.client, 'name:gone-')).body
    await hasTags(owner, uid, ['kiosk'])
    const change = (body: { active?: boolean; tag?: string; query?: string }) =>
      owner.client.call(tagRules.update, { params: { id }, body })
    await change({ active: false })
    await hasTags(owner, uid, [])
    await change({ active: true, tag: 'other' })
    await hasTags(owner, uid, ['other'])
    await change({ query: 'name:elsewhere' })
    await hasTags(owner, uid, [])
    await change({ query: 'gone' })
    await hasTags(owner, uid, ['other'])
    await owner.client.call(tagRules.remove, { params: { id } })
    await hasTags(owner, uid, [])
    const { body } = await owner.client.call(audit.list, { query: { per_page: '100' } })
    const actions = body.map(({ action }) => action)
    expect(actions.filter((action) => action.startsWith('tag-rule.'))).toHaveLength(6)
    expect(body.find(({ action }) => action === 'device.tags')).toMatchObject({ actor: { type: 'system' } })
  })

  it('tells of many devices in one entry of the audit log', async () => {
    const owner = await someone()
    const uids: DeviceUid[] = []
    for (let at = 0; at < 5; at += 1) uids.push((await server.acceptedDevice(owner, { hostname: `many-${at}` })).uid)
    await make(owner.client, 'name:many-')
    await settled(owner)
    const { body } = await owner.client.call(audit.list, { query: { action: 'tag-rule.apply' } })
    const details = body.flatMap((entry) => entry.details['devices'] as { uid: string; after: string[] }[])
    expect(details.map(({ uid }) => uid).toSorted()).toEqual(uids.toSorted())
    expect(details.every(({ after }) => after.includes('kiosk'))).toBe(true)
  })

  it('goes on with the new name of its tag, and ends with its tag', async () => {
    const owner = await someone()
    const { uid } = await server.acceptedDevice(owner, { hostname: 'renamed-1' })
    await make(owner.client, 'name:renamed-')
    await hasTags(owner, uid, ['kiosk'])
    await owner.client.call(tags.rename, { params: { tag: 'kiosk' }, body: { tag: 'stand' } })
    expect((await owner.client.call(tagRules.list, {})).body.rules).toMatchObject([{ tag: 'stand' }])
    await settled(owner)
    expect(await tagsOf(owner, uid)).toEqual(['stand'])
    await owner.client.call(tags.remove, { params: { tag: 'stand' } })
    await settled(owner)
    expect(await tagsOf(owner, uid)).toEqual([])
    expect((await owner.client.call(tagRules.list, {})).body.rules).toEqual([])
  })

  it('finds no device by the tags that it has', async () => {
    const owner = await someone()
    const { uid } = await server.acceptedDevice(owner, { hostname: 'plain-1' })
    await owner.client.call(devices.setTags, { params: { uid }, body: { tags: ['secret-word'] } })
    expect((await make(owner.client, 'secret-word')).body.matching).toBe(0)
  })

  it.each([
    ['tags', 'tag:kiosk', 'must not depend on tags'],
    ['presence', 'is:offline', 'must not depend on online'],
    ['more words than are searched', 'a b c d e f g', 'must have at most 6 words'],
    ['no word', '""', 'must have a word'],
  ])('is refused with a search for %s', async (_, query, rule) => {
    const { client } = await someone()
    await expect(make(client, query)).rejects.toMatchObject({ status: 400, message: expect.stringContaining(rule) })
  })

  it('is there once, and a namespace has a bounded number', async () => {
    const { client } = await someone()
    await make(client, 'name:x')
    expect(await outcome(make(client, 'name:x'))).toBe('409 CONFLICT query')
    const { perNamespace } = LIMITS.tagRules
    const made = await Promise.all(
      Array.from({ length: perNamespace + 5 }, (_, i) => outcome(make(client, `name:y${i}`))),
    )
    expect(made.filter((one) => one === '200')).toHaveLength(perNamespace - 1)
    expect(made).toContain('403 NAMESPACE_FULL')
  })
})

describe('the rights of tag rules', () => {
  it.each([
    ['observer', '403'],
    ['operator', '403'],
    ['administrator', '200'],
  ] as const)('let an %s write them: %s', async (role, answer) => {
    const owner = await someone()
    const { id } = (await make(owner.client, 'name:a')).body
    const client = await memberOf(owner, role)
    expect((await client.call(tagRules.list, {})).body.rules).toHaveLength(1)
    const answers = [
      await outcome(make(client, 'name:b')),
      await outcome(client.call(tagRules.update, { params: { id }, body: { query: 'name:c' } })),
      await outcome(client.call(tagRules.remove, { params: { id } })),
    ]
    expect(answers.map((one) => one.slice(0, 3))).toEqual([answer, answer, answer])
  })

  it('keep an operator from what a rule would make of their change: a firewall rule is for the tag', async () => {
    const owner = await someone()
    const { uid } = await server.acceptedDevice(owner, { hostname: 'safe-1' })
    await make(owner.client, 'note:lobby')
    await settled(owner)
    await owner.client.call(devices.setTags, { params: { uid }, body: { tags: ['kiosk'] } })
    await owner.client.call(firewall.create, {
      body: { action: 'deny', active: true, priority: 1, source_ip: '.*', username: '.*', filter: { tags: ['kiosk'] } },
    })
    await owner.client.call(devices.setTags, { params: { uid }, body: { tags: [] } })
    const operator = await memberOf(owner, 'operator')
    const note = (text: string) => outcome(operator.call(devices.update, { params: { uid }, body: { note: text } }))
    expect(await note('in the lobby')).toMatch(/^403 POLICY_CHANGE/)
    expect((await owner.client.call(devices.get, { params: { uid } })).body).toMatchObject({ note: '', tags: [] })
    expect(await note('in the cellar')).toBe('200')
    // Whoever may change both may.
    await owner.client.call(devices.update, { params: { uid }, body: { note: 'in the lobby' } })
    expect(await tagsOf(owner, uid)).toEqual(['kiosk'])
    expect(await note('')).toMatch(/^403 POLICY_CHANGE/)
  })

  it('keep an operator from it also where the tag comes later: the device is rejected, or has no room', async () => {
    const owner = await someone()
    const rule = { action: 'deny', active: true, priority: 1, source_ip: '.*', username: '.*' } as const
    await make(owner.client, 'note:lobby')
    const { uid } = await server.acceptedDevice(owner, { hostname: 'full-1' })
    await owner.client.call(devices.setTags, { params: { uid }, body: { tags: ['kiosk'] } })
    await owner.client.call(firewall.create, { body: { ...rule, filter: { tags: ['kiosk'] } } })
    await owner.client.call(devices.setTags, { params: { uid }, body: { tags: ['one', 'two', 'three'] } })
    const waiting = await server.registerDevice(owner.tenant, { hostname: 'waiting-1' })
    const operator = await memberOf(owner, 'operator')
    await operator.call(devices.setStatus, { params: { uid: waiting.uid, status: 'reject' } })
    for (const one of [uid, waiting.uid]) {
      const edit = operator.call(devices.update, { params: { uid: one }, body: { note: 'in the lobby' } })
      expect(await outcome(edit)).toMatch(/^403 POLICY_CHANGE/)
    }
  })

  it('leave a replaced device’s successor the tags of rules as such', async () => {
    const owner = await someone()
    const identity = { mac: '02:00:00:00:09:01' }
    await make(owner.client, 'name:gate')
    const old = await server.acceptedDevice(owner, { hostname: 'gate', identity })
    await hasTags(owner, old.uid, ['kiosk'])
    const next = await server.registerDevice(owner.tenant, { hostname: 'other', identity })
    await owner.client.call(devices.setStatus, { params: { uid: next.uid, status: 'accept' } })
    await hasTags(owner, next.uid, ['kiosk'])
    const { rules } = (await owner.client.call(tagRules.list, {})).body
    await owner.client.call(tagRules.remove, { params: { id: rules[0]?.id ?? '' } })
    await hasTags(owner, next.uid, [])
    expect(await tagsOf(owner, next.uid)).toEqual([])
  })

  it('do not reach into another namespace', async () => {
    const [owner, stranger] = [await someone(), await someone()]
    const { uid } = await server.acceptedDevice(stranger, { hostname: 'theirs-1' })
    const { id } = (await make(owner.client, 'name:theirs-')).body
    await settled(owner)
    expect(await tagsOf(stranger, uid)).toEqual([])
    expect((await stranger.client.call(tagRules.list, {})).body.rules).toEqual([])
    expect(await outcome(stranger.client.call(tagRules.remove, { params: { id } }))).toBe('404 NOT_FOUND')
  })
})
