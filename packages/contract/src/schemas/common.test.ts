import { describe, expect, it } from 'vitest'
import { DeviceUid, Email, Page, Password, PersonName, ROW_IDS, SessionUid, TenantId, Username } from './common.ts'
import { NamespaceName } from './namespace.ts'
import { DeviceAuthBody } from './device.ts'

const takes = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown): boolean =>
  schema.safeParse(value).success

describe('a username', () => {
  it.each(['abc', 'a-b_c.d@e', '0'.repeat(30), '...'])('accepts the username %s', (name) => {
    expect(Username.parse(name)).toBe(name)
  })

  it('stores a username in lower case', () => {
    expect(Username.parse('Ada.Lovelace')).toBe('ada.lovelace')
  })

  it.each(['ab', 'a'.repeat(31), 'a b', 'a/b', 'schön', 'a+b', 'abc\n', '', 7, null])(
    'rejects the username %j',
    (name) => {
      expect(takes(Username, name)).toBe(false)
    },
  )
})

describe('a password', () => {
  it.each(['12345', ' '.repeat(5), 'x'.repeat(30), 'pässwörd', '😀'.repeat(5)])(
    'accepts the password %j',
    (password) => {
      expect(Password.parse(password)).toBe(password)
    },
  )

  it.each(['1234', 'x'.repeat(31), ''])('rejects the password %j', (password) => {
    expect(takes(Password, password)).toBe(false)
  })
})

describe('the name of a person', () => {
  it('trims a name', () => {
    expect(PersonName.parse('  Ada Lovelace ')).toBe('Ada Lovelace')
  })

  it.each(['Al', ' Al  ', 'x'.repeat(21), 'Ada\nLovelace', 'Ada\u0007x', '\u007fxxx'])(
    'rejects the name %j',
    (name) => {
      expect(takes(PersonName, name)).toBe(false)
    },
  )
})

describe('an e-mail address', () => {
  it('stores an e-mail address in lower case', () => {
    expect(Email.parse('Ada@Example.COM')).toBe('ada@example.com')
  })

  it.each(['ada', '@example.com', 'a b@example.com', `${'a'.repeat(250)}@x.org`, 'a@b\r\nBcc: c@d.org'])(
    'rejects the e-mail address %j',
    (address) => {
      expect(takes(Email, address)).toBe(false)
    },
  )
})

describe('the name of a namespace', () => {
  it.each([
    ['abc', 'abc'],
    ['My-Space-1', 'my-space-1'],
    ['0'.repeat(30), '0'.repeat(30)],
  ])('accepts the namespace name %s', (name, stored) => {
    expect(NamespaceName.parse(name)).toBe(stored)
  })

  it.each(['ab', '-abc', 'abc-', 'a.b', 'a_b', 'a b', 'x'.repeat(31), 'schön'])(
    'rejects the namespace name %s',
    (name) => {
      expect(takes(NamespaceName, name)).toBe(false)
    },
  )
})

describe('ids', () => {
  it('requires 64 lower-case hex digits for ids of devices and sessions', () => {
    for (const schema of [DeviceUid, SessionUid]) {
      expect(takes(schema, '0123456789abcdef'.repeat(4))).toBe(true)
      for (const wrong of ['A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), `${'a'.repeat(64)}\n`, 'g'.repeat(64), '']) {
        expect(takes(schema, wrong)).toBe(false)
      }
    }
  })

  it('accepts UUIDs of any version for ids of namespaces, in lower case', () => {
    expect(TenantId.parse('00000000-0000-0000-0000-00000000000A')).toBe('00000000-0000-0000-0000-00000000000a')
    for (const wrong of ['', 'x', '00000000-0000-0000-0000-00000000000', '{00000000-0000-0000-0000-000000000000}']) {
      expect(takes(TenantId, wrong)).toBe(false)
    }
  })

  it('registers row ids but not tenant ids', () => {
    expect([ROW_IDS.get(DeviceUid), ROW_IDS.get(SessionUid)]).toEqual([{ noun: 'The device' }, { noun: 'The session' }])
    expect(ROW_IDS.get(TenantId)).toBeUndefined()
  })
})

describe('a page', () => {
  it.each([
    [{}, 1, 10],
    [{ page: '3', per_page: '50' }, 3, 50],
    [{ page: '0', per_page: '0' }, 1, 10],
    [{ page: '-5', per_page: '-5' }, 1, 10],
    [{ per_page: '100' }, 1, 100],
    [{ per_page: '101' }, 1, 100],
    [{ page: '999999999999999' }, 999_999_999_999_999, 10],
  ])('clamps the page %j', (query, page, perPage) => {
    expect(Page.parse(query)).toEqual({ page, per_page: perPage })
  })

  it.each(['x', '', '1.5', '1e3', ' 1', '0x10', '9'.repeat(16), ['1', '2'], 1])(
    'rejects the page number %j',
    (page) => {
      expect(takes(Page, { page })).toBe(false)
    },
  )
})

describe('device info from an agent', () => {
  const body = {
    info: { id: 'debian', pretty_name: 'Debian', version: 'v1', arch: 'x64', platform: 'native' },
    identity: { mac: '02:00:00:00:00:01' },
    public_key: 'key',
    tenant_id: '00000000-0000-0000-0000-000000000000',
  }

  it('accepts device info that omits and nulls what existing agents do', () => {
    for (const more of [{}, { hostname: null, sessions: null, identity: null }, { hostname: '', sessions: [] }]) {
      expect(takes(DeviceAuthBody, { ...body, ...more })).toBe(true)
    }
  })

  it('accepts device info with unknown fields', () => {
    expect(DeviceAuthBody.parse({ ...body, unknown: 'x' })).not.toHaveProperty('unknown')
  })
})
