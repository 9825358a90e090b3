// `bowline firewall …` of a person who is signed in at a server.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer } from '../../../testing/boot.ts'
import { commandLine } from '../../testing.ts'

let server: BootedServer
let home: string
let ada: Person
let kiosk: RegisteredDevice
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
  home = await mkdtemp(join(tmpdir(), 'bowline-firewall-'))
  await mkdir(join(home, '.config/bowline'), { recursive: true })
  const saved = { server: server.origin, token: ada.auth.token, refresh_token: 'none' }
  await writeFile(join(home, '.config/bowline/sign-in.json'), JSON.stringify(saved))
  kiosk = await server.acceptedDevice(ada, { hostname: 'kiosk' })
})
afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true })
})
const { json, bowline, refusal, run } = commandLine(() => ({ HOME: home }))

describe('bowline firewall', () => {
  it('adds rules with networks, lists them in evaluation order, tests against them and removes one', async () => {
    const added = await json('firewall add deny --from 10.1.2.3/8 --from 2001:db8::/32 --user ^root$ --priority 20')
    expect(added).toMatchObject({ source_ip: '.*', source_networks: ['10.0.0.0/8', '2001:db8::/32'], active: true })
    const { id } = added as { id: number }
    expect(await bowline('firewall add allow --from-pattern ^192 --device kiosk --inactive')).toMatch(
      /^Added rule \d+\.$/,
    )
    const lines = (await bowline('firewall list')).split('\n')
    expect(lines[1]).toMatch(
      new RegExp(`^${id} +20 +deny +anyone +10\\.0\\.0\\.0/8,2001:db8::/32 +\\^root\\$ +\\.\\* +active$`),
    )
    expect(lines[2]).toMatch(/^\d+ +10 +allow +anyone +\^192 +\.\* +kiosk +inactive$/)
    expect(await run(['firewall', 'test', 'kiosk', '10.9.9.9'])).toMatchObject({
      status: 1,
      out: `Denied: rule ${id} decides.`,
    })
    expect(await bowline('firewall test kiosk 10.9.9.9 --user anna')).toBe('Allowed: no rule matches.')
    expect(await bowline(`firewall remove ${id}`)).toBe(`Removed rule ${id}.`)
    expect(await bowline('firewall test kiosk 10.9.9.9')).toBe('Allowed: no rule matches.')
  })

  it('adds a rule about people, and tests it for them', async () => {
    const added = await json('firewall add deny --person ADA@example.com --role observer --yes')
    expect(added).toMatchObject({ people: [ada.id], roles: ['observer'] })
    const { id } = added as { id: number }
    expect((await bowline('firewall list')).split('\n')[1]).toMatch(/ deny +observer,ada@example\.com /)
    expect(await run('firewall test kiosk 10.9.9.9 --person ada@example.com'.split(' '))).toMatchObject({ status: 1 })
    expect(await bowline('firewall test kiosk 10.9.9.9')).toBe('Allowed: no rule matches.')
    expect(await refusal('firewall add deny --person nobody@example.com')).toEqual([
      1,
      'bowline: The namespace has no member with the address nobody@example.com.',
    ])
    await bowline(`firewall remove ${id}`)
  })

  it('tells what a rule would have done, and adds none', async () => {
    const row = { tenant_id: ada.tenant, device_uid: kiosk.uid, username: 'root', type: 'term' as const }
    const seen = { uid: SessionUid.parse('1'.repeat(64)), authenticated: true, ip_address: '192.0.2.9' }
    await server.database
      .system()
      .insertInto('sessions')
      .values({ ...row, ...seen })
      .execute()
    const out = (await bowline('firewall add deny --from 192.0.2.0/24 --dry-run')).split('\n')
    expect(out[0]).toMatch(/^Of 1 sessions since \S+ 1 would have been blocked and 0 let in\.$/)
    expect(out.at(-1)).toMatch(/^blocked +\S+ +root@kiosk +192\.0\.2\.9 +this$/)
    expect(await json('firewall list')).not.toContainEqual(
      expect.objectContaining({ source_networks: ['192.0.2.0/24'] }),
    )
    const { id } = (await json('firewall add deny --from 192.0.2.0/24')) as { id: number }
    expect(await json(`firewall remove ${id} --dry-run`)).toMatchObject({ allowed: { sessions: 1 } })
    await bowline(`firewall remove ${id}`)
  })

  it('changes nothing that takes devices from whoever asks, unless that is meant', async () => {
    const loses =
      'bowline: You would lose 1 of the 1 devices that you can reach now. Nothing was changed; --yes changes it all the same.'
    const before = await json('firewall list')
    expect(await refusal('firewall add deny --device kiosk')).toEqual([1, loses])
    expect(await json('firewall list')).toEqual(before)
    const { id } = (await json('firewall add deny --device kiosk --yes')) as { id: number }
    const allow = (await json('firewall add allow --role owner --priority 20')) as { id: number }
    expect(await refusal(`firewall remove ${allow.id}`)).toEqual([1, loses])
    await bowline(`firewall remove ${id}`)
    await bowline(`firewall remove ${allow.id}`)
  })

  it('tells what a file of all rules would do', async () => {
    const { id } = (await json('firewall add deny --device kiosk --user ^anna$')) as { id: number }
    const rules = (await json('firewall list')) as object[]
    const file = join(home, 'rules.json')
    await writeFile(file, JSON.stringify([...rules, { ...rules[0], id: undefined, username: '.*' }]))
    expect((await bowline(`firewall dry-run ${file}`)).split('\n')).toContain(
      'You would lose 1 of the 1 devices that you can reach now.',
    )
    await writeFile(file, '[{}]')
    expect((await refusal(`firewall dry-run ${file}`))[1]).toContain('rules.0.action ')
    expect(await refusal('firewall dry-run missing.json')).toEqual([2, 'bowline: missing.json cannot be read.'])
    await bowline(`firewall remove ${id}`)
  })

  it.each([
    ['firewall add deny --role king', /roles\.0 /],
    ['firewall add perhaps', /action /],
    ['firewall add deny --from 10.0.0.0/33', /source_networks\.0 must be an address or a network/],
    ['firewall add deny --from-pattern 10.0.0.0/8', /source_ip must be a pattern .* belongs in source_networks/],
    ['firewall add deny --from 10.0.0.0/8 --from-pattern ^10', /exclude each other/],
    ['firewall add deny --device kiosk --tag lab', /exclude each other/],
    ['firewall add deny --priority high', /priority /],
    ['firewall remove first', /number/],
    ['firewall test kiosk nowhere', /address must be an IP address/],
  ])('refuses %s', async (line, reason) => {
    const [status, message] = await refusal(line)
    expect([status, message]).toEqual([2, expect.stringMatching(reason)])
  })
})
