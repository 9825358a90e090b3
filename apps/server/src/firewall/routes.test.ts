// Firewall rules over HTTP.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { firewall, devices } = operations
let server: BootedServer
let tagged: Person
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
  tagged = await server.addPerson('tagged')
  for (const tags of [['aaa', 'bbb', 'ccc'], ['ddd']]) {
    const { uid } = await server.acceptedDevice(tagged)
    await tagged.client.call(devices.setTags, { params: { uid }, body: { tags } })
  }
})
afterAll(() => server.close())

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const RULE = {
  action: 'deny' as const,
  active: true,
  priority: 5,
  source_ip: String.raw`^10\.`,
  username: 'root',
  filter: { hostname: '.*' },
}
const create = async (person: Person, changes: object = {}) =>
  (await person.client.call(firewall.create, { body: { ...RULE, ...changes } })).body

describe('cost of firewall rules', () => {
  const WIDE = '[^a]{0,1000}'

  it('refuses a rule pattern that is expensive to compile, naming its field', async () => {
    const person = await newcomer()
    for (const [field, changes] of [
      ['username', { username: `(?:${WIDE.repeat(80)})` }],
      ['source_ip', { source_ip: WIDE.repeat(2) }],
      ['filter.hostname', { filter: { hostname: WIDE.repeat(2) } }],
    ] as const) {
      expect(await outcome(create(person, changes))).toBe(`400 INVALID_INPUT ${field}`)
    }
  })

  it('limits the total size of rule patterns and the number of rules', async () => {
    const person = await newcomer()
    const insert = (count: number, username: string) =>
      server.database
        .system()
        .insertInto('firewall_rules')
        .values(
          Array.from({ length: count }, () => {
            const { filter, ...rule } = RULE
            return { ...rule, username, tenant_id: person.tenant, hostname: filter.hostname, tags: null }
          }),
        )
        .execute()
    await insert(29, '[^a]{0,500}')
    expect(await outcome(create(person, { username: '[^a]{0,500}' }))).toBe(
      '400 INVALID_INPUT username,source_ip,filter.hostname',
    )
    const rule = await create(person)
    await insert(970, 'root')
    expect(await outcome(create(person))).toBe('403 POLICY_LIMIT')
    const update = { params: { id: rule.id }, body: { ...RULE, username: 'adm' } }
    expect(await outcome(person.client.call(firewall.update, update))).toBe('200')
  })

  it('fails closed for an oversized stored pattern: deny matches, allow does not', async () => {
    const person = await newcomer()
    const { uid } = await server.acceptedDevice(person)
    const tooLarge = { username: `(?:${WIDE.repeat(80)})`, source_ip: '.*', hostname: '.*', tags: null }
    const verdict = async (action: 'allow' | 'deny') => {
      const row = { ...tooLarge, action, active: true, priority: 1, tenant_id: person.tenant }
      await server.database.system().insertInto('firewall_rules').values(row).execute()
      const body = { device: uid, username: 'root', address: '192.0.2.1' }
      return (await person.client.call(firewall.evaluate, { body })).body
    }
    expect(await verdict('allow')).toEqual({ allow: true, rule: null })
    expect(await verdict('deny')).toMatchObject({ allow: false })
  })
})

describe('firewall rule', () => {
  it('creates, reads, replaces and removes a rule', async () => {
    const person = await newcomer()
    const rule = await create(person)
    expect(rule).toEqual({ ...RULE, source_networks: [], people: [], roles: [], id: rule.id, tenant_id: person.tenant })
    expect(Number.isInteger(rule.id)).toBe(true)
    const params = { id: rule.id }
    expect((await person.client.call(firewall.get, { params })).body).toEqual(rule)
    const body = { ...RULE, action: 'allow' as const, active: false, priority: 0, filter: { hostname: 'web' } }
    const { body: replaced } = await person.client.call(firewall.update, { params, body })
    expect(replaced).toEqual({
      ...body,
      source_networks: [],
      people: [],
      roles: [],
      id: rule.id,
      tenant_id: person.tenant,
    })
    const remove = () => outcome(person.client.call(firewall.remove, { params }))
    expect([await remove(), await remove()]).toEqual(['200', '404 NOT_FOUND'])
    expect(await outcome(person.client.call(firewall.update, { params, body }))).toBe('404 NOT_FOUND')
    expect(await outcome(person.client.call(firewall.get, { params }))).toBe('404 NOT_FOUND')
  })

  it.each([
    [{ priority: -1 }, '400 INVALID_INPUT priority'],
    [{ priority: 1.5 }, '422 UNREADABLE_BODY priority'],
    [{ action: 'maybe' }, '400 INVALID_INPUT action'],
    [{ source_ip: '(' }, '400 INVALID_INPUT source_ip'],
    [{ source_ip: '10.0.0.0/8' }, '400 INVALID_INPUT source_ip'],
    [{ source_ip: '^2001:db8::/32$' }, '400 INVALID_INPUT source_ip'],
    [{ source_ip: '192.0.2.7/' }, '400 INVALID_INPUT source_ip'],
    [{ source_ip: '^10', source_networks: ['10.0.0.0/8'] }, '400 INVALID_INPUT source_ip'],
    [{ source_ip: '.*', source_networks: ['10.0.0.0/33'] }, '400 INVALID_INPUT source_networks.0'],
    [{ source_ip: '.*', source_networks: ['^10[.]'] }, '400 INVALID_INPUT source_networks.0'],
    [{ source_ip: '.*', source_networks: Array(33).fill('10.0.0.0/8') }, '400 INVALID_INPUT source_networks'],
    [{ username: String.raw`(a)\1` }, '400 INVALID_INPUT username'],
    [{ filter: { hostname: '*' } }, '400 INVALID_INPUT filter.hostname'],
    [{ filter: { tags: [] } }, '400 INVALID_INPUT filter.tags'],
    [{ filter: { tags: ['aaa', 'bbb', 'ccc', 'ddd'] } }, '400 INVALID_INPUT filter.tags'],
    [{ filter: { tags: ['unused'] } }, '404 NOT_FOUND filter.tags'],
  ])('refuses a rule with %j', async (changes, expected) => {
    expect(await outcome(create(tagged, changes))).toBe(expected)
  })

  it.each(['0', '-1', 'abc', '99999999999', '1.5'])('refuses %s as a rule id', async (id) => {
    const headers = { authorization: `Bearer ${tagged.auth.token}` }
    expect([400, 404]).toContain((await server.fetch(`/api/firewall/rules/${id}`, { headers })).status)
  })
})

describe('networks of a rule', () => {
  const NETWORKS = { source_ip: '.*', source_networks: ['10.1.2.3/8', '2001:DB8::1/32', '10.0.0.0/8', '192.0.2.7'] }

  it('keeps networks in canonical form, and applies them to an address in any notation', async () => {
    const person = await newcomer()
    const { uid } = await server.acceptedDevice(person)
    const rule = await create(person, NETWORKS)
    expect(rule.source_networks).toEqual(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7/32'])
    const verdict = async (address: string) =>
      (await person.client.call(firewall.evaluate, { body: { device: uid, username: 'root', address } })).body.allow
    for (const address of ['10.9.9.9', '::ffff:10.9.9.9', '2001:DB8:0::7', '192.0.2.7']) {
      expect([address, await verdict(address)]).toEqual([address, false])
    }
    for (const address of ['11.0.0.1', '2001:db9::7', '192.0.2.8']) {
      expect([address, await verdict(address)]).toEqual([address, true])
    }
  })

  it('keeps networks that a change leaves out, so that a client without them does not widen the rule', async () => {
    const person = await newcomer()
    const params = { id: (await create(person, NETWORKS)).id }
    const update = (body: object) => person.client.call(firewall.update, { params, body: { ...RULE, ...body } })
    expect((await update({ source_ip: '.*', active: false })).body.source_networks).toHaveLength(3)
    expect(await outcome(update({ source_ip: '^10' }))).toBe('400 INVALID_INPUT source_ip')
    expect((await update({ source_ip: '^10', source_networks: [] })).body).toMatchObject({
      source_ip: '^10',
      source_networks: [],
    })
  })

  it('counts networks among what the rules may cost together', async () => {
    const person = await newcomer()
    const source_networks = Array.from({ length: 32 }, (_, net) => `10.${net}.0.0/16`)
    const insert = { ...RULE, source_ip: '.*', source_networks, tenant_id: person.tenant, hostname: '.*', tags: null }
    const { filter: _, ...row } = insert
    await server.database.system().insertInto('firewall_rules').values(Array(92).fill(row)).execute()
    expect(await outcome(create(person, { source_ip: '.*', source_networks }))).toBe(
      '400 INVALID_INPUT source_networks,username,source_ip,filter.hostname',
    )
  })
})

describe('people of a rule', () => {
  const member = async (of: Person, role: 'observer' | 'operator' = 'operator') => {
    const person = await newcomer()
    await server.addMember(of.tenant, person.id, role)
    return person
  }

  it('evaluates a rule about members and roles for the member who is named', async () => {
    const person = await newcomer()
    const { uid } = await server.acceptedDevice(person)
    const [one, other] = [await member(person), await member(person, 'observer')]
    const { id } = await create(person, { people: [one.id], roles: ['observer'], source_ip: '.*' })
    const verdict = async (who?: Person['id']) => {
      const body = {
        device: uid,
        username: 'root',
        address: '192.0.2.1',
        ...(who === undefined ? {} : { person: who }),
      }
      return (await person.client.call(firewall.evaluate, { body })).body.rule
    }
    expect([await verdict(one.id), await verdict(other.id)]).toEqual([id, id])
    expect([await verdict(person.id), await verdict()]).toEqual([null, null])
    expect(await outcome(verdict(tagged.id))).toBe('404 NOT_FOUND person')
  })

  it('names members of the namespace only', async () => {
    const person = await newcomer()
    expect(await outcome(create(person, { people: [tagged.id] }))).toBe('404 NOT_FOUND people')
    expect(await outcome(create(person, { people: [person.id, person.id] }))).toBe('400 INVALID_INPUT people')
    expect(await outcome(create(person, { roles: ['king'] }))).toBe('400 INVALID_INPUT roles.0')
    const people = Array.from({ length: 101 }, (_, index) => `person-${index}`)
    expect(await outcome(create(person, { people }))).toBe('400 INVALID_INPUT people')
    const { id } = await create(person, { people: [person.id] })
    const update = (body: object) =>
      outcome(person.client.call(firewall.update, { params: { id }, body: { ...RULE, ...body } }))
    expect(await update({ people: [tagged.id] })).toBe('404 NOT_FOUND people')
    // A client that does not know people keeps them.
    expect(await update({ username: 'anna' })).toBe('200')
    expect((await person.client.call(firewall.get, { params: { id } })).body.people).toEqual([person.id])
  })

  it('forgets a member who is removed; a rule about nobody else goes, and the audit log tells', async () => {
    const person = await newcomer()
    const [leaver, stayer] = [await member(person), await member(person)]
    const alone = await create(person, { people: [leaver.id] })
    const shared = await create(person, { people: [leaver.id, stayer.id] })
    const byRole = await create(person, { people: [leaver.id], roles: ['observer'] })
    const all = await create(person)
    await person.client.call(operations.members.remove, { params: { tenant: person.tenant, uid: leaver.id } })
    const rules = (await person.client.call(firewall.list, {})).body
    expect(rules.map(({ id, people }) => [id, people])).toEqual([
      [shared.id, [stayer.id]],
      [byRole.id, []],
      [all.id, []],
    ])
    const { body: log } = await person.client.call(operations.audit.list, {})
    const because = log.filter(({ details }) => JSON.stringify(details).includes(`"because":{"person":"${leaver.id}"}`))
    const changes = because.map(({ action, target }) => [action, target])
    expect(changes.toSorted(([, one], [, other]) => Number(one) - Number(other))).toEqual([
      ['firewall-rule.remove', String(alone.id)],
      ['firewall-rule.update', String(shared.id)],
      ['firewall-rule.update', String(byRole.id)],
    ])
  })
})

describe('tags of a rule', () => {
  it('adds, sets and removes tags of a rule, by body or query', async () => {
    const { id } = await create(tagged, { filter: { tags: ['aaa'] } })
    const params = { id }
    const call = tagged.client.call
    const add = (tag: string) => outcome(call(firewall.addTag, { params, body: { tag } }))
    expect(await add('aaa')).toBe('409 CONFLICT tag')
    expect(await add('bbb')).toBe('200')
    expect(await add('ccc')).toBe('200')
    expect(await add('ddd')).toBe('406 TAG_LIMIT tags')
    expect(await outcome(call(firewall.removeTag, { params, body: { tag: 'ccc' } }))).toBe('200')
    expect(await outcome(call(firewall.removeTag, { params, query: { tag: 'bbb' }, body: {} }))).toBe('200')
    expect(await outcome(call(firewall.removeTag, { params, body: {} }))).toBe('400 INVALID_INPUT tag')
    expect(await outcome(call(firewall.removeTag, { params, body: { tag: 'ccc' } }))).toBe('404 NOT_FOUND')
    expect(await outcome(call(firewall.setTags, { params, body: { tags: ['ddd'] } }))).toBe('200')
    expect((await call(firewall.get, { params })).body.filter).toEqual({ tags: ['ddd'] })
    // A proxy may drop the body of a DELETE; the query needs none.
    await add('aaa')
    const headers = { authorization: `Bearer ${tagged.auth.token}` }
    const bare = await server.fetch(`/api/firewall/rules/${id}/tags?tag=aaa`, { method: 'DELETE', headers })
    expect(bare.status).toBe(200)
  })
})

describe('list of rules', () => {
  it('lists rules by ascending priority and filters by every type of property', async () => {
    const person = await newcomer()
    for (const priority of [30, 10, 20]) await create(person, { priority, active: priority !== 20 })
    const property = (name: string, operator: string, value: unknown) => ({
      type: 'property',
      params: { name, operator, value },
    })
    const priorities = async (...items: unknown[]) => {
      const filter = Buffer.from(JSON.stringify(items)).toString('base64')
      const { body, total } = await person.client.call(firewall.list, { query: items.length ? { filter } : {} })
      expect(body).toHaveLength(total)
      return body.map(({ priority }) => priority)
    }
    expect(await priorities()).toEqual([10, 20, 30])
    expect(await priorities(property('active', 'bool', 'true'))).toEqual([10, 30])
    expect(await priorities(property('priority', 'gt', '10'))).toEqual([20, 30])
    expect(await priorities(property('priority', 'lt', 15.5))).toEqual([10])
    expect(await priorities(property('priority', 'eq', 1e300))).toEqual([])
    expect(await priorities(property('priority', 'eq', 10), property('priority', 'eq', 30))).toEqual([10, 30])
    expect(await priorities(property('tags', 'contains', ['aaa']))).toEqual([])
    expect(await outcome(priorities(property('priority', 'bool', true)))).toBe('400 INVALID_FILTER filter')
    expect(await outcome(priorities(property('username', 'eq', '\u0000')))).toBe('400 INVALID_FILTER filter')
  })
})

describe('order of rules', () => {
  const orderOf = async (person: Person) =>
    (await person.client.call(firewall.list, {})).body.toReversed().map(({ id, priority }) => [id, priority])
  const setOrder = (person: Person, rules: readonly number[]) =>
    outcome(person.client.call(firewall.setOrder, { body: { rules: [...rules] } }))

  it('reorders rules in one call and records it in the audit log', async () => {
    const person = await newcomer()
    const [low, middle, high] = [
      await create(person, { priority: 1 }),
      await create(person, { priority: 20 }),
      await create(person, { priority: 300 }),
    ].map(({ id }) => id)
    if (!low || !middle || !high) throw new Error('the rules have no ids')
    expect(await setOrder(person, [low, high, middle])).toBe('200')
    expect(await orderOf(person)).toEqual([
      [low, 300],
      [high, 20],
      [middle, 1],
    ])
    const { body: log } = await person.client.call(operations.audit.list, {})
    expect(log.find(({ action }) => action === 'firewall-rule.order')?.details).toEqual({
      before: [high, middle, low],
      after: [low, high, middle],
    })
  })

  it('refuses an order that does not name exactly the current rules', async () => {
    const person = await newcomer()
    const { id: first } = await create(person, { priority: 2 })
    const { id: second } = await create(person, { priority: 1 })
    const { id: foreign } = await create(tagged)
    const before = await orderOf(person)
    for (const rules of [[second], [second, first, foreign], [second, second], [second, foreign], []]) {
      expect(await setOrder(person, rules)).toBe('409 RULES_CHANGED rules')
    }
    expect(await orderOf(person)).toEqual(before)
  })

  it('keeps one complete order when orders are set concurrently', async () => {
    const person = await newcomer()
    const rules: number[] = []
    for (const priority of [7, 7, 7, 9]) rules.push((await create(person, { priority })).id)
    const others = rules.toReversed()
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, turn) => setOrder(person, turn % 2 ? rules : others)),
    )
    expect(new Set(outcomes)).toEqual(new Set(['200']))
    expect([rules, others]).toContainEqual((await orderOf(person)).map(([id]) => id))
  })
})

describe('evaluation of a hypothetical connection', () => {
  it('evaluates a connection as the gateway would and names the deciding rule', async () => {
    const person = await newcomer()
    const { uid } = await server.acceptedDevice(person)
    const ask = (changes: object = {}) =>
      person.client.call(firewall.evaluate, {
        body: { device: uid, username: 'root', address: '10.1.2.3', ...changes },
      })
    expect((await ask()).body).toEqual({ allow: true, rule: null })
    const deny = await create(person)
    expect((await ask()).body).toEqual({ allow: false, rule: deny.id })
    expect((await ask({ address: '2001:db8::7' })).body).toEqual({ allow: true, rule: null })
    const allow = await create(person, { action: 'allow', priority: 6 })
    expect((await ask()).body).toEqual({ allow: true, rule: allow.id })
    await create(person, { priority: 7, active: false })
    expect((await ask()).body.rule).toBe(allow.id)
  })

  it('requires a valid address and a device of the namespace for an evaluation', async () => {
    const person = await newcomer()
    const { uid } = await server.acceptedDevice(person)
    const elsewhere = await server.acceptedDevice(tagged)
    const ask = (changes: object) =>
      outcome(
        person.client.call(firewall.evaluate, {
          body: { device: uid, username: 'root', address: '10.1.2.3', ...changes },
        }),
      )
    expect(await ask({ address: 'example.com' })).toBe('400 INVALID_INPUT address')
    expect(await ask({ username: '' })).toBe('400 INVALID_INPUT username')
    expect(await ask({ device: elsewhere.uid })).toBe('404 NOT_FOUND')
  })
})
