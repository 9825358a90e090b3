// Fresh proofs: a session alone changes nothing sensitive of a person with a second factor.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { NEVER, UserId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BootedServer, type Client, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'
import { type Factor, addFactor, codeAt, passwordStep, post } from './testing.ts'

const STEP = 30_000
const MINUTE = 60_000
const { mfa, users, apiKeys, members, scim, programs, singleSignOn, mails, namespaces } = operations
const REFUSED = '403 FRESH_PROOF_REQUIRED'
let clock: ManualClock
let server: BootedServer
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(() => clock.advance(10 * MINUTE))

/** A person whose sign-in has no proof any more, as that of somebody who stole their session. */
async function somebody(): Promise<{ person: Person; factor: Factor }> {
  const person = await server.addPerson(`somebody-${(number += 1)}`)
  const factor = await addFactor(person.client, clock)
  clock.advance(10 * MINUTE + 1)
  return { person, factor }
}

/** Calls that need a proof. */
const SENSITIVE: readonly { name: string; call: (client: Client, person: Person) => Promise<unknown> }[] = [
  {
    name: 'a new password',
    call: (client) => client.call(users.update, { body: { password: 'a new password', current_password: PASSWORD } }),
  },
  {
    name: 'a new password by the deprecated call',
    call: (client, { id }) =>
      client.call(users.updatePassword, {
        params: { id },
        body: { new_password: 'a new password', current_password: PASSWORD },
      }),
  },
  {
    name: 'a new address',
    call: (client, { username }) =>
      client.call(users.update, { body: { email: `new-${username}@example.com`, current_password: PASSWORD } }),
  },
  {
    name: 'a recovery address by the deprecated call',
    call: (client, { id, username }) =>
      client.call(users.updateData, {
        params: { id },
        body: { recovery_email: `other-${username}@example.com`, current_password: PASSWORD },
      }),
  },
  {
    name: 'an API key of an administrator',
    call: (client) => client.call(apiKeys.create, { body: { name: 'program', expires_at: 30, role: 'administrator' } }),
  },
  {
    name: 'an API key without a role',
    call: (client) => client.call(apiKeys.create, { body: { name: 'program', expires_at: 30 } }),
  },
  {
    name: 'a new administrator',
    call: async (client, { tenant }) => {
      const other = await server.addPerson(`somebody-${(number += 1)}`)
      return client.call(members.add, {
        params: { tenant },
        body: { email: other.auth.email, role: 'administrator' },
      })
    },
  },
  {
    name: 'a new administrator by a link',
    call: async (client, { tenant }) => {
      const other = await server.addPerson(`somebody-${(number += 1)}`)
      return client.call(members.invite, {
        params: { tenant },
        body: { email: other.auth.email, role: 'administrator' },
      })
    },
  },
  {
    name: 'another role of a member',
    call: async (client, { tenant }) => {
      const other = await server.addPerson(`somebody-${(number += 1)}`)
      await server.addMember(tenant, other.id, 'observer')
      return client.call(members.update, {
        params: { tenant, uid: UserId.parse(other.id) },
        body: { role: 'operator' },
      })
    },
  },
  {
    name: 'a token of provisioning',
    call: (client, { tenant }) => client.call(scim.createToken, { params: { tenant }, body: { name: 'Okta' } }),
  },
  {
    name: 'roles by provisioning',
    call: (client, { tenant }) =>
      client.call(scim.update, { params: { tenant }, body: { roles: [{ group: 'all', role: 'administrator' }] } }),
  },
  {
    name: 'no second factor of logins',
    call: async (client, { tenant }) => {
      const namespace = server.database.system().updateTable('namespaces').where('tenant_id', '=', tenant)
      await namespace.set({ settings: { ssh_second_factor: true } }).execute()
      return client.call(namespaces.update, { params: { tenant }, body: { settings: { ssh_second_factor: false } } })
    },
  },
  {
    name: 'no second factor of service keys',
    call: (client, { tenant }) =>
      client.call(namespaces.update, {
        params: { tenant },
        body: { settings: { ssh_second_factor_service_keys: true } },
      }),
  },
  {
    name: 'the end of a namespace',
    call: (client, { tenant }) => client.call(namespaces.remove, { params: { tenant } }),
  },
  {
    name: 'another authenticator',
    call: async (client) => {
      const { secret, recovery_codes } = (await client.call(mfa.generate, {})).body
      return client.call(mfa.enable, { body: { secret, recovery_codes, code: codeAt(secret, clock.now()) } })
    },
  },
  {
    name: 'removal of an authenticator',
    call: async (client) => {
      const [one] = (await client.call(mfa.get, {})).body.authenticators
      return client.call(mfa.remove, { params: { id: one?.id ?? '' } })
    },
  },
  { name: 'new recovery codes', call: (client) => client.call(mfa.renewRecoveryCodes, {}) },
]

describe('sensitive changes', () => {
  it.each(SENSITIVE)('refuses a stolen session, and works after a proof: $name', async ({ call }) => {
    const { person, factor } = await somebody()
    expect(await outcome(call(person.client, person))).toBe(REFUSED)
    const { body } = await person.client.call(mfa.prove, { body: { code: codeAt(factor.secret, clock.now()) } })
    expect(body).toEqual({ required: true, valid_until: new Date(clock.now() + 10 * MINUTE).toISOString() })
    expect(await outcome(call(person.client, person))).toBe('200')
  })

  it.each(SENSITIVE.slice(0, -2))('asks nobody without a second factor: $name', async ({ call }) => {
    const person = await server.addPerson(`somebody-${(number += 1)}`)
    expect(await outcome(call(person.client, person))).toBe('200')
  })

  it('asks no proof for changes that are not sensitive', async () => {
    const { person } = await somebody()
    const { client } = person
    expect(await outcome(client.call(users.update, { body: { name: 'Another Name' } }))).toBe('200')
    const key = { name: 'reader', expires_at: 30 as const, role: 'observer' as const }
    expect(await outcome(client.call(apiKeys.create, { body: key }))).toBe('200')
  })

  it('asks before a role of an API key is raised', async () => {
    const { person } = await somebody()
    const key = { name: 'reader', expires_at: 30 as const, role: 'observer' as const }
    await person.client.call(apiKeys.create, { body: key })
    const raised = { params: { key: 'reader' }, body: { role: 'operator' as const } }
    expect(await outcome(person.client.call(apiKeys.update, raised))).toBe(REFUSED)
  })

  it('changes no password after the right one alone, and counts no guess of it', async () => {
    const { person } = await somebody()
    const body = { password: 'a new password', current_password: 'wrong' }
    for (let i = 0; i < 5; i += 1) expect(await outcome(person.client.call(users.update, { body }))).toBe(REFUSED)
    expect(await passwordStep(server, person)).not.toBe('')
  })
})

describe('a proof', () => {
  it('ends after ten minutes', async () => {
    const { person, factor } = await somebody()
    await person.client.call(mfa.prove, { body: { code: codeAt(factor.secret, clock.now()) } })
    clock.advance(10 * MINUTE)
    expect(await outcome(person.client.call(mfa.renewRecoveryCodes, {}))).toBe('200')
    clock.advance(1)
    expect(await outcome(person.client.call(mfa.renewRecoveryCodes, {}))).toBe(REFUSED)
  })

  it('holds for its own sign-in and no other of the person', async () => {
    const { person, factor } = await somebody()
    const token = await passwordStep(server, person)
    const code = codeAt(factor.secret, clock.now())
    const { body } = await post(server, '/api/user/mfa/auth', { token, code })
    const signedIn = server.client(String(body['token']))
    expect((await signedIn.call(mfa.getProof, {})).body.valid_until).not.toBe(NEVER)
    expect(await outcome(signedIn.call(mfa.renewRecoveryCodes, {}))).toBe('200')
    expect(await outcome(person.client.call(mfa.renewRecoveryCodes, {}))).toBe(REFUSED)
  })

  it('comes with a browser sign-in by second factor and with a recovery', async () => {
    const { person, factor } = await somebody()
    const session = { token: await passwordStep(server, person), code: codeAt(factor.secret, clock.now()) }
    const [recovery_code] = factor.recoveryCodes
    const browser = await post(server, '/api/auth/session/factor', session)
    const recovered = await post(server, '/api/user/mfa/recover', { identifier: person.username, recovery_code })
    for (const { body } of [browser, recovered]) {
      const { required, valid_until } = (await server.client(String(body['token'])).call(mfa.getProof, {})).body
      expect([required, valid_until]).toEqual([true, new Date(clock.now() + 10 * MINUTE).toISOString()])
    }
  })

  it('stays with the tokens renewed from the sign-in', async () => {
    const { person, factor } = await somebody()
    await person.client.call(mfa.prove, { body: { code: codeAt(factor.secret, clock.now()) } })
    clock.advance(STEP)
    const { body } = await person.client.call(operations.auth.getUser, {})
    expect(await outcome(server.client(body.token).call(mfa.renewRecoveryCodes, {}))).toBe('200')
  })

  it('takes a recovery code once', async () => {
    const { person, factor } = await somebody()
    const body = { recovery_code: factor.recoveryCodes[2] ?? '' }
    expect(await outcome(person.client.call(mfa.prove, { body }))).toBe('200')
    expect(await outcome(person.client.call(mfa.prove, { body }))).toBe('403 CODE_REFUSED')
  })

  it('takes no code of another person', async () => {
    const [one, other] = [await somebody(), await somebody()]
    const body = { code: codeAt(other.factor.secret, clock.now()) }
    expect(await outcome(one.person.client.call(mfa.prove, { body }))).toBe('403 CODE_REFUSED')
  })
})

describe('changes beyond the own account, without a second factor', () => {
  const CHANGES: readonly { name: string; call: (client: Client) => Promise<unknown> }[] = [
    {
      name: 'how people sign in',
      call: (client) => client.call(singleSignOn.update, { body: { trust_addresses: true } }),
    },
    { name: 'an identity provider', call: (client) => client.call(singleSignOn.addKey, {}) },
    {
      name: 'the approval of a program',
      call: async (client) => {
        const { body } = await server.client().call(programs.start, { body: { name: 'laptop' } })
        return client.call(programs.decide, { body: { user_code: body.user_code, approve: true } })
      },
    },
  ]

  it.each(CHANGES)('need the password when the sign-in is older than ten minutes: $name', async ({ call }) => {
    const person = await server.addPerson(`somebody-${(number += 1)}`)
    const db = server.database.system().updateTable('users')
    await db.set({ is_instance_admin: true }).where('id', '=', person.id).execute()
    clock.advance(10 * MINUTE + 1)
    expect(await outcome(call(person.client))).toBe(REFUSED)
    const prove = (current_password: string) => outcome(person.client.call(mfa.prove, { body: { current_password } }))
    expect(await prove('wrong')).toBe('400 INVALID_INPUT current_password')
    expect(await outcome(call(person.client))).toBe(REFUSED)
    expect(await prove(PASSWORD)).toBe('200')
    expect(await outcome(call(person.client))).toBe('200')
  })

  it('are shown no link of a mail before the password', async () => {
    const person = await server.addPerson(`somebody-${(number += 1)}`)
    const db = server.database.system().updateTable('users')
    await db.set({ is_instance_admin: true }).where('id', '=', person.id).execute()
    clock.advance(10 * MINUTE + 1)
    const show = () => outcome(person.client.call(mails.link, { params: { id: randomUUID() } }))
    expect(await show()).toBe(REFUSED)
    await person.client.call(mfa.prove, { body: { current_password: PASSWORD } })
    expect(await show()).toBe('404 NOT_FOUND')
  })

  const WAYS_IN = [
    'an API key without a role',
    'another role of a member',
    'a token of provisioning',
    'roles by provisioning',
    'no second factor of logins',
    'no second factor of service keys',
  ]

  it.each(SENSITIVE.filter(({ name }) => WAYS_IN.includes(name)))(
    'need the password where logins need a second factor: $name',
    async ({ call }) => {
      const person = await server.addPerson(`somebody-${(number += 1)}`)
      const { tenant } = person
      const body = { settings: { ssh_second_factor: true } }
      await person.client.call(namespaces.update, { params: { tenant }, body })
      clock.advance(10 * MINUTE + 1)
      expect(await outcome(call(person.client, person))).toBe(REFUSED)
      await person.client.call(mfa.prove, { body: { current_password: PASSWORD } })
      expect(await outcome(call(person.client, person))).toBe('200')
    },
  )

  it('takes no password in place of a second factor', async () => {
    const { person } = await somebody()
    const body = { current_password: PASSWORD }
    expect(await outcome(person.client.call(mfa.prove, { body }))).toMatch(/^400 INVALID_INPUT/)
  })
})
