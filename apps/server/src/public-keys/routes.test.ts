// Public keys over HTTP: accepted keys, and their tags and filters.
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { encodePublicKey } from '@bowline/ssh/keys/key-blob'
import { keyOfJwk } from '@bowline/ssh/keys/jwk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshKeyData } from '../testing/samples.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { publicKeys, devices } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const values = { name: 'laptop', username: 'root', filter: { hostname: '.*' } }
const create = async (person: Person, data: string, changes: object = {}) =>
  (await person.client.call(publicKeys.create, { body: { ...values, data, ...changes } })).body
const encode = (line: string) => Buffer.from(line).toString('base64')

/** A person with devices that have the tags. */
async function withTags(...tags: string[]): Promise<Person> {
  const person = await newcomer()
  for (let from = 0; from < tags.length; from += 3) {
    const { uid } = await server.acceptedDevice(person)
    await person.client.call(devices.setTags, { params: { uid }, body: { tags: tags.slice(from, from + 3) } })
  }
  return person
}

function line(type: string, make: () => object): string {
  const key = keyOfJwk({ ...(make() as Record<string, string>) })
  if (!key) throw new Error('no such key')
  return `${type} ${Buffer.from(encodePublicKey(key)).toString('base64')}`
}
const rsa = (modulusLength: number) =>
  line('ssh-rsa', () => generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' }))
const ecdsa = (curve: string, type: string) =>
  line(type, () => generateKeyPairSync('ec', { namedCurve: curve }).publicKey.export({ format: 'jwk' }))
const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
const blob = (type: string, ...parts: Buffer[]) =>
  `${type} ${Buffer.concat([part(Buffer.from(type)), ...parts.map((one) => part(one))]).toString('base64')}`

describe('registering a public key', () => {
  it.each([
    ['Ed25519', () => Buffer.from(freshKeyData(), 'base64').toString()],
    ['RSA 2048', () => rsa(2_048)],
    ['ECDSA P-256', () => ecdsa('prime256v1', 'ecdsa-sha2-nistp256')],
    ['ECDSA P-384', () => ecdsa('secp384r1', 'ecdsa-sha2-nistp384')],
    ['ECDSA P-521', () => ecdsa('secp521r1', 'ecdsa-sha2-nistp521')],
    ['FIDO', () => blob('sk-ssh-ed25519@openssh.com', randomBytes(32), Buffer.from('ssh:'))],
  ])('accepts %s and drops the key’s comment', async (_, make) => {
    const person = await newcomer()
    const text = make()
    const bare = text.split(' ').slice(0, 2).join(' ')
    const key = await create(person, encode(`${bare} somebody@somewhere`))
    expect(key).toMatchObject({ ...values, tenant_id: person.tenant, data: encode(`${bare}\n`) })
    expect(key.fingerprint).toMatch(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/)
    const listed = await person.client.call(publicKeys.list, {})
    expect([listed.body, listed.total]).toEqual([[key], 1])
  })

  it.each([
    ['no base64', 'ssh-ed25519 AAAA', '422 INVALID_KEY_DATA data'],
    ['no key', encode('hello'), '400 INVALID_INPUT data'],
    ['a key that is cut off', encode('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA=='), '400 INVALID_INPUT data'],
    ['DSA', encode(blob('ssh-dss', randomBytes(20))), '400 INVALID_INPUT data'],
    ['another type than it says', encode(`ssh-rsa ${rsa(2_048).split(' ')[1]?.slice(4)}`), '400 INVALID_INPUT data'],
  ])('rejects %s', async (_, data, expected) => {
    expect(await outcome(create(await newcomer(), data))).toBe(expected)
  })

  it('rejects RSA below 2048 bits', async () => {
    expect(await outcome(create(await newcomer(), encode(rsa(1_024))))).toBe('400 INVALID_INPUT data')
  })

  it('registers a key once per namespace, also under concurrent calls', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const data = freshKeyData()
    const twice = await Promise.all([outcome(create(person, data)), outcome(create(person, data))])
    expect(twice.sort()).toEqual(['200', '409 CONFLICT data'])
    expect(await outcome(create(other, data))).toBe('200')
  })

  it.each([
    [{ username: '(' }, '400 INVALID_INPUT username'],
    [{ username: '(?=x)' }, '400 INVALID_INPUT username'],
    [{ filter: { hostname: '[' } }, '400 INVALID_INPUT filter.hostname'],
    [{ filter: {} }, '400 INVALID_INPUT filter'],
    [{ filter: { hostname: 'a', tags: ['abc'] } }, '400 INVALID_INPUT filter'],
    [{ filter: { tags: ['unused'] } }, '404 NOT_FOUND filter.tags'],
    [{ name: ' ' }, '400 INVALID_INPUT name'],
  ])('rejects a key with %j', async (changes, expected) => {
    expect(await outcome(create(await newcomer(), freshKeyData(), changes))).toBe(expected)
  })
})

describe('the SHA-256 fingerprint of a key', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bowline-fingerprint-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each(['ed25519', 'ecdsa', 'rsa'])(
    'is what ssh-keygen -l prints for a key of type %s, and finds it',
    async (type) => {
      const file = join(folder, type)
      execFileSync('ssh-keygen', [
        '-q',
        '-t',
        type,
        ...(type === 'rsa' ? ['-b', '2048'] : []),
        '-N',
        '',
        '-C',
        'ada at work',
        '-f',
        file,
      ])
      const printed = execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' }).split(' ')[1] ?? ''
      const person = await newcomer()
      await create(person, freshKeyData())
      const key = await create(person, encode(await readFile(`${file}.pub`, 'utf8')))
      expect(key.fingerprint_sha256).toBe(printed)
      for (const [operator, value] of [
        ['eq', printed],
        ['contains', printed.slice(0, 20)],
      ]) {
        const filter = encode(
          JSON.stringify([{ type: 'property', params: { name: 'fingerprint_sha256', operator, value } }]),
        )
        expect((await person.client.call(publicKeys.list, { query: { filter } })).body).toEqual([key])
      }
    },
  )

  it('is in the audit log, where it is searched for', async () => {
    const person = await newcomer()
    const { fingerprint_sha256: search, fingerprint } = await create(person, freshKeyData())
    const { body } = await person.client.call(operations.audit.list, { query: { search } })
    expect(body).toMatchObject([{ action: 'public-key.create', target: fingerprint }])
  })
})

describe('changing a key', () => {
  it('replaces a key’s name, login and filter; answers 404 for an unknown one', async () => {
    const person = await withTags('rack')
    const { fingerprint, data } = await create(person, freshKeyData())
    const update = (params: { fingerprint: string }) =>
      person.client.call(publicKeys.update, { params, body: { name: 'n', username: 'u', filter: { tags: ['rack'] } } })
    expect((await update({ fingerprint })).body).toMatchObject({
      fingerprint,
      data,
      name: 'n',
      username: 'u',
      filter: { tags: ['rack'] },
    })
    expect(await outcome(update({ fingerprint: fingerprint.replaceAll(/[0-9a-f]/g, '0') }))).toBe('404 NOT_FOUND')
  })

  it('removes a key once by its percent-encoded fingerprint', async () => {
    const person = await newcomer()
    const { fingerprint } = await create(person, freshKeyData())
    const remove = () => outcome(person.client.call(publicKeys.remove, { params: { fingerprint } }))
    expect(encodeURIComponent(fingerprint)).toContain('%3A')
    expect([await remove(), await remove()]).toEqual(['200', '404 NOT_FOUND'])
  })
})

describe('tags of a key', () => {
  it('allows one to three tags that are in use', async () => {
    const person = await withTags('aaa', 'bbb', 'ccc', 'ddd')
    const { fingerprint } = await create(person, freshKeyData(), { filter: { tags: ['aaa'] } })
    const params = { fingerprint }
    const add = (tag: string) => outcome(person.client.call(publicKeys.addTag, { params, body: { tag } }))
    const set = (tags: string[]) => outcome(person.client.call(publicKeys.setTags, { params, body: { tags } }))
    const remove = (tag: string) => outcome(person.client.call(publicKeys.removeTag, { params: { fingerprint, tag } }))
    expect(await add('aaa')).toBe('409 CONFLICT tag')
    expect(await add('zzz')).toBe('404 NOT_FOUND filter.tags')
    expect(await add('bbb')).toBe('200')
    expect(await add('ccc')).toBe('200')
    expect(await add('ddd')).toBe('406 TAG_LIMIT tags')
    expect(await remove('ddd')).toBe('404 NOT_FOUND')
    expect(await set(['aaa', 'bbb', 'ccc', 'ddd'])).toBe('406 TAG_LIMIT tags')
    expect(await set([])).toBe('400 INVALID_INPUT tags')
    expect(await set(['aaa', 'aaa'])).toBe('400 INVALID_INPUT tags')
    expect(await set(['ddd'])).toBe('200')
    expect(await remove('ddd')).toBe('400 INVALID_INPUT tag')
    expect((await person.client.call(publicKeys.list, {})).body[0]?.filter).toEqual({ tags: ['ddd'] })
  })

  it('keeps all tags that are added concurrently', async () => {
    const person = await withTags('aaa', 'bbb', 'ccc')
    const { fingerprint } = await create(person, freshKeyData(), { filter: { tags: ['aaa'] } })
    const add = (tag: string) => person.client.call(publicKeys.addTag, { params: { fingerprint }, body: { tag } })
    await Promise.all([add('bbb'), add('ccc')])
    const [key] = (await person.client.call(publicKeys.list, {})).body
    expect(new Set(key?.filter.tags)).toEqual(new Set(['aaa', 'bbb', 'ccc']))
  })

  it('rejects tags on a key with a hostname filter', async () => {
    const person = await withTags('aaa')
    const { fingerprint } = await create(person, freshKeyData())
    const add = person.client.call(publicKeys.addTag, { params: { fingerprint }, body: { tag: 'aaa' } })
    expect(await outcome(add)).toBe('400 INVALID_INPUT filter')
  })
})

describe('listing keys', () => {
  it('filters keys by their properties', async () => {
    const person = await newcomer()
    await create(person, freshKeyData(), { name: 'one', username: 'root' })
    await create(person, freshKeyData(), { name: 'two', username: 'admin' })
    const property = (name: string, operator: string, value: unknown) => ({
      type: 'property',
      params: { name, operator, value },
    })
    const names = async (...items: unknown[]) => {
      const filter = Buffer.from(JSON.stringify(items)).toString('base64url')
      const { body, total } = await person.client.call(publicKeys.list, { query: { filter } })
      expect(body).toHaveLength(total)
      return body.map(({ name }) => name)
    }
    expect(await names(property('username', 'eq', 'admin'))).toEqual(['two'])
    expect(await names(property('name', 'eq', 'one'), property('username', 'eq', 'admin'))).toEqual(['one', 'two'])
    expect(
      await names(property('hostname', 'contains', '*'), property('name', 'ne', 'one'), {
        type: 'operator',
        params: { name: 'and' },
      }),
    ).toEqual(['two'])
    expect(await names(property('created_at', 'lt', '2000-01-01T00:00:00Z'))).toEqual([])
    expect(await outcome(names(property('data', 'eq', 'x')))).toBe('400 INVALID_FILTER filter')
  })
})

describe('previewing a filter', () => {
  it('previews exactly the devices that a login by such a key would reach', async () => {
    const person = await newcomer()
    const uids = []
    for (const name of ['web-1', 'web-2', 'web-2b', 'db-1']) {
      const { uid } = await server.acceptedDevice(person)
      await person.client.call(devices.update, { params: { uid }, body: { name } })
      uids.push(uid)
    }
    await person.client.call(devices.setTags, { params: { uid: uids[3] ?? '' }, body: { tags: ['prod'] } })
    const find = async (filter: object) => (await person.client.call(publicKeys.findDevices, { body: { filter } })).body
    // The whole name: a part of it is not enough.
    expect(await find({ hostname: 'web-[0-9]' })).toEqual({ matching: 2, accepted: 4, names: ['web-1', 'web-2'] })
    expect(await find({ hostname: '.*' })).toMatchObject({ matching: 4, names: ['db-1', 'web-1', 'web-2', 'web-2b'] })
    expect(await find({ tags: ['prod', 'other'] })).toEqual({ matching: 1, accepted: 4, names: ['db-1'] })
    expect(await find({ hostname: 'nothing' })).toEqual({ matching: 0, accepted: 4, names: [] })
    expect(await outcome(find({ hostname: '(' }))).toBe('400 INVALID_INPUT filter.hostname')
  })
})
