// Effects of user commands on keys and roles.
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import type { PublicKey } from '@bowline/contract/schemas/public-key'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshKeyData } from '../../testing/samples.ts'
import { type BootedServer, PASSWORD, bootServer, databaseUrl } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await bowline('user create ada - ada@example.com', PASSWORD)
  await bowline('namespace create works ada')
})
afterAll(() => server.close())

const { bowline, json, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
}))

async function signIn(username: string) {
  const { body } = await server.client().call(operations.auth.login, { body: { username, password: PASSWORD } })
  return { id: body.id, client: server.client(body.token) }
}

/** An administrator with a key of their own, one on behalf of the owner, and a service key. */
async function withKeys(username: string) {
  await bowline(`user create ${username} - ${username}@example.com`, PASSWORD)
  await bowline(`namespace member add ${username} works administrator`)
  const [person, ada] = [await signIn(username), await signIn('ada')]
  for (const [kind, owner] of [
    ['own', person.id],
    ['owner', ada.id],
    ['service', null],
  ] as const) {
    await person.client.call(operations.publicKeys.create, {
      body: { name: `${username}-${kind}`, data: freshKeyData(), username: '.*', filter: { hostname: '.*' }, owner },
    })
  }
  return person
}

/** Keys of the namespace with that name prefix, with their disabled state. */
async function keysOf(username: string) {
  const { body } = await (await signIn('ada')).client.call(operations.publicKeys.list, { query: { per_page: '100' } })
  return body
    .filter(({ name }) => name.startsWith(username))
    .map(({ name, disabled, former_owner: owner }) => ({ name, disabled, owner }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

describe('deleted account', () => {
  it('disables the keys of a deleted account and those it vouched for', async () => {
    const { id } = await withKeys('carl')
    const said = await bowline('user delete carl')
    expect(await keysOf('carl')).toEqual(
      ['own', 'owner', 'service'].map((kind) => ({ name: `carl-${kind}`, disabled: true, owner: 'carl@example.com' })),
    )
    expect(said.split('\n')).toEqual([
      'Deleted the user carl.',
      ...['own', 'owner', 'service'].map((kind) =>
        expect.stringMatching(`^Disabled the SSH key carl-${kind} \\([0-9a-f:]{47}\\) of works\\.$`),
      ),
    ])
    const log = await server.database
      .system()
      .selectFrom('audit_log')
      .select('action')
      .where('target', '=', id)
      .execute()
    expect(log.map(({ action }) => action)).toContain('member.remove')
  })
})

describe('role argument', () => {
  it('accepts a role in any case', async () => {
    await bowline('user create dora - dora@example.com', PASSWORD)
    expect(await bowline('namespace member add dora works Administrator')).toBe('dora is administrator of works now.')
    expect(await json('api-key create shouted works --role OBSERVER')).toMatchObject({ role: 'observer' })
    expect(await refusal('namespace member add dora works OWNER')).toEqual([
      1,
      'bowline: The role owner may not grant or act on the role owner.',
    ])
    expect((await refusal('namespace member add dora works boss'))[1]).toMatch(/^bowline: role: /)
  })
})

describe('API key of a signed-out owner', () => {
  it('keeps API keys valid across sign-out and password change of their creator', async () => {
    const { id, client } = await signIn('ada')
    const body = { name: 'machine', expires_at: -1, role: 'observer' } as const
    const { body: key } = await client.call(operations.apiKeys.create, { body })
    await bowline('user sign-out ada')
    await bowline('user password ada -', PASSWORD)
    const response = await server.fetch('/api/namespaces/api-key', { headers: { 'x-api-key': key.id } })
    expect(await response.json()).toContainEqual(expect.objectContaining({ name: 'machine', created_by: id }))
  })
})

describe('SSH keys', () => {
  it('lists the disabled keys of a deleted user and enables them by handing them over', async () => {
    await withKeys('emil')
    expect(await bowline('public-key list works --of emil')).toMatch(/^NAME +FINGERPRINT +OWNER\nemil-own +\S+ +emil$/)
    await bowline('user delete emil')
    const listed = await bowline('public-key list works --of emil@example.com --disabled')
    expect(listed.split('\n').map((line) => line.split(/ {2,}/)[2])).toEqual([
      'OWNER',
      ...Array.from({ length: 3 }, () => 'disabled, was of emil@example.com'),
    ])
    const said = await bowline('public-key hand-over works ada --of emil@example.com')
    expect(said.split('\n')).toHaveLength(3)
    expect(said).toMatch(/^emil-\w+ \(SHA256:[\w+/]{43}\) belongs to ada now\.$/m)
    expect((await keysOf('emil')).map(({ disabled, owner }) => ({ disabled, owner }))).toEqual(
      Array.from({ length: 3 }, () => ({ disabled: false, owner: '' })),
    )
    const log = await server.database.system().selectFrom('audit_log').select(['action', 'actor_type']).execute()
    expect(log.filter(({ action, actor_type: by }) => action === 'public-key.update' && by === 'system')).toHaveLength(
      3,
    )
  })

  it('names keys as ssh-keygen -l prints them, or by their id', async () => {
    await withKeys('hugo')
    const keys = (await json('public-key list works --of hugo')) as PublicKey[]
    const ids = keys.flatMap(({ fingerprint, fingerprint_sha256: sha256 }) => [fingerprint, sha256])
    for (const id of ids) {
      expect(await bowline(`public-key hand-over works ada ${id}`)).toMatch(/\(SHA256:\S+\) belongs to ada now\.$/)
    }
    expect(ids.length).toBeGreaterThan(0)
  })

  it('hands keys over to members only, all or none', async () => {
    await bowline('user create finn - finn@example.com', PASSWORD)
    await withKeys('gina')
    const keys = (await json('public-key list works --of gina')) as { fingerprint: string }[]
    expect(await refusal(`public-key hand-over works finn ${keys[0]?.fingerprint}`)).toEqual([
      1,
      'bowline: The member was not found.',
    ])
    expect(await refusal(`public-key hand-over works ada ${keys[0]?.fingerprint} 00:11`)).toEqual([
      1,
      'bowline: The public key was not found.',
    ])
    expect(await json('public-key list works --of gina')).toEqual(keys)
    expect(await refusal('public-key hand-over works ada')).toEqual([
      2,
      'bowline: Say which keys: their fingerprints, or --of <user>.',
    ])
  })
})

describe('pending devices', () => {
  it('rejects pending devices, all or those above an age, and no others', async () => {
    const ada = await signIn('ada')
    const [namespace] = (await json('namespace list')) as { tenant_id: string }[]
    const register = async (name: string) =>
      (await server.registerDevice(TenantId.parse(namespace?.tenant_id), { hostname: name })).uid
    const [accepted, old, fresh] = [await register('accepted'), await register('old'), await register('fresh')]
    await ada.client.call(operations.devices.setStatus, { params: { uid: accepted, status: 'accept' } })
    await server.database
      .system()
      .updateTable('devices')
      .set({ created_at: new Date(Date.now() - 8 * 86_400_000) })
      .where('uid', 'in', [accepted, old])
      .execute()
    const statuses = async () => {
      const rows = await server.database.system().selectFrom('devices').select(['uid', 'status']).execute()
      return [accepted, old, fresh].map((uid) => rows.find((row) => row.uid === uid)?.status)
    }
    expect(await refusal('device reject works')).toEqual([
      2,
      'bowline: Say which: --all-pending, --older-than <age> or both.',
    ])
    expect((await refusal('device reject works --older-than week'))[0]).toBe(2)
    expect(await bowline('device reject works --all-pending --older-than 7d')).toBe(
      `Rejected old (${old}).\nRejected 1 device of works.`,
    )
    expect(await statuses()).toEqual(['accepted', 'rejected', 'pending'])
    expect(await json('device reject works --all-pending')).toEqual([{ uid: fresh, name: 'fresh' }])
    expect(await statuses()).toEqual(['accepted', 'rejected', 'rejected'])
  })
})

describe('invitation by the operator', () => {
  it('prints a link that the invited person accepts', async () => {
    await bowline('user create elsa - elsa@example.com', PASSWORD)
    const link = new URL(await bowline('namespace member invite works elsa@example.com Operator'))
    expect(link.pathname).toBe('/accept-invite')
    const tenant = TenantId.parse(link.searchParams.get('tenant-id'))
    const { id, client } = await signIn('elsa')
    expect(link.searchParams.get('user-id')).toBe(id)
    const body = { sig: link.searchParams.get('sig') ?? '' }
    await client.call(operations.members.acceptInvite, { params: { tenant }, body })
    const again = await refusal('namespace member invite works elsa@example.com operator')
    expect(again).toEqual([1, expect.stringContaining('is a member already')])
    expect((await refusal('namespace member invite works nobody@example.com operator'))[0]).toBe(1)
  })
})

describe('registration confirmed by the operator', () => {
  it('makes the account without the mail', async () => {
    const open = await bootServer({ settings: { BOWLINE_REGISTRATION: 'open' } })
    try {
      const there = commandLine(() => ({
        BOWLINE_DATABASE_URL: databaseUrl(open.owner),
        BOWLINE_SECRET_KEY: open.secretKey,
      }))
      const person = { name: 'Some Body', username: 'frida', email: 'frida@example.com', password: PASSWORD }
      await open.client().call(operations.users.register, { body: { ...person, email_marketing: false } })
      expect(await there.bowline('user confirm Frida')).toBe('Confirmed frida@example.com: frida can sign in.')
      const { body } = await open
        .client()
        .call(operations.auth.login, { body: { username: 'frida', password: PASSWORD } })
      expect(body.user).toBe('frida')
      // A username that looks like somebody's address is not that address.
      expect((await there.refusal('user admin frida@elsewhere.example'))[0]).toBe(1)
      for (const email of ['gerda@example.com', 'stranger@example.org']) {
        const body = { ...person, username: 'gerda', email, email_marketing: false }
        await open.client().call(operations.users.register, { body })
      }
      expect(await there.refusal('user confirm gerda')).toEqual([
        1,
        'bowline: Several people wait for the username gerda; name the address too: gerda@example.com, stranger@example.org.',
      ])
      expect(await there.bowline('user confirm gerda gerda@example.com')).toBe(
        'Confirmed gerda@example.com: gerda can sign in.',
      )
      expect(await there.bowline('user namespaces gerda 3')).toBe('gerda may own up to 3 namespaces.')
      expect((await there.refusal('user confirm frida'))[0]).toBe(1)
    } finally {
      await open.close()
    }
  })
})
