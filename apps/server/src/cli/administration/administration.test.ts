// Administration of the instance by the command line.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditInstance } from '../../audit/service.ts'
import { type BootedServer, PASSWORD, bootServer, databaseUrl, outcome } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await bowline('user create ada - ada@example.com', PASSWORD)
  await bowline('user create bob - bob@example.com', PASSWORD)
  await bowline('namespace create works ada')
  await bowline('namespace member add bob works operator')
})
afterAll(() => server.close())

const { bowline, json, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
}))
const signIn = (username: string) =>
  outcome(server.client().call(operations.auth.login, { body: { username, password: PASSWORD } }))

describe('people on the command line', () => {
  it('are found by a search and a filter', async () => {
    expect(await json('user list --search BOB')).toMatchObject([{ username: 'bob' }])
    expect(await json('user list --only administrators')).toMatchObject([{ username: 'ada' }])
    expect(await refusal('user list --only nobody')).toEqual([2, expect.stringContaining('--only must be one of')])
  })

  it('are disabled and enabled, but not the last administrator', async () => {
    expect(await bowline('user disable bob')).toBe('bob is disabled: nobody signs in as them, and their sessions end.')
    expect(await signIn('bob')).toBe('401 BAD_CREDENTIALS')
    expect(await json('user list --only disabled')).toMatchObject([{ username: 'bob', status: 'disabled' }])
    expect(await bowline('user enable bob')).toBe('bob can sign in again.')
    expect(await signIn('bob')).toBe('200')
    const last = [1, 'bowline: This server needs at least one administrator who is not disabled.']
    expect(await refusal('user disable ada')).toEqual(last)
    expect(await refusal('user admin ada --off')).toEqual(last)
  })
})

describe('namespaces on the command line', () => {
  it('are disabled and enabled', async () => {
    expect(await bowline('namespace disable works')).toBe('The namespace works is disabled; its sessions end.')
    expect(await bowline('namespace list --search wor')).toMatch(/ disabled$/)
    expect(await bowline('namespace list --search nowhere')).not.toContain('works')
    expect(await bowline('namespace enable works')).toBe('The namespace works can be used again.')
    expect(await bowline('namespace list')).not.toContain('disabled')
  })

  it('have limits, each a number, unlimited or the default', async () => {
    expect(await bowline('namespace limit works --tunnels 5 --api-keys unlimited')).toBe(
      [
        'WHAT      AT MOST',
        'devices   default',
        'members   default',
        'sessions  default',
        'tunnels   5',
        'api-keys  unlimited',
      ].join('\n'),
    )
    expect(await json('namespace limit works --tunnels default')).toMatchObject({ tunnels: null, api_keys: -1 })
    expect(await json('namespace limit --members 9')).toMatchObject({ members: 9, devices: -1 })
    expect(await json('namespace limit')).toMatchObject({ members: 9 })
    expect(await refusal('namespace limit works --tunnels many')).toEqual([
      2,
      'bowline: --tunnels must be a number, unlimited or default.',
    ])
    expect((await refusal('namespace limit --tunnels default'))[0]).toBe(2)
    await bowline('namespace limit --members unlimited')
  })

  it('refuse a member above the limit, with its name', async () => {
    await bowline('user create carl - carl@example.com', PASSWORD)
    await bowline('namespace limit works --members 2')
    expect(await refusal('namespace member add carl works observer')).toEqual([
      1,
      'bowline: The namespace may have 2 members.',
    ])
    await bowline('namespace limit works --members default')
  })

  it('are handed over to another member', async () => {
    expect(await bowline('namespace hand-over works bob')).toBe('bob owns works now.')
    expect(await json('namespace list')).toMatchObject([
      { members: [{ role: 'administrator' }, { role: 'owner', email: 'bob@example.com' }] },
    ])
    expect(await refusal('namespace hand-over works nobody')).toEqual([1, 'bowline: The user nobody was not found.'])
  })
})

describe('the audit export on the command line', () => {
  it('prints CSV and JSON lines, filtered', async () => {
    const csv = (await bowline('audit export --namespace works --action namespace')).split('\n')
    expect(csv[0]).toMatch(/^"at","namespace","tenant_id"/)
    expect(csv[1]).toContain('"namespace.hand-over"')
    const lines = (await bowline('audit export --format jsonl --namespace server --action account')).split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { action: string }).action)).toEqual([
      'account.enable',
      'account.disable',
    ])
    expect(await bowline('audit export --format jsonl --to 2000-01-01')).toBe('')
    expect((await refusal('audit export --from yesterday'))[0]).toBe(2)
    expect((await refusal('audit export --format xml'))[0]).toBe(2)
  })

  it.each(['csv', 'jsonl'])('prints nothing as %s that a terminal would obey', async (format) => {
    const by = { actor: { kind: 'system', name: 'test' }, source: '' } as const
    const target = 'a\u001b]0;title\u0007\u009b2J\u202eb'
    await auditInstance(server.database.system(), by, 'limit.update', target, { note: '\u009b31m' })
    const printed = await bowline(`audit export --namespace server --action limit.update --format ${format}`)
    expect(printed).toContain('"a')
    expect(printed).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  })
})
