// `bowline firewall apply`, with the rules of a file.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Rule } from '@bowline/contract/schemas/firewall'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../../testing/boot.ts'
import { commandLine } from '../../testing.ts'

const FIELDS = { active: true, source_ip: '.*', source_networks: [], username: '.*', people: [], roles: [] }
const rule = (action: 'allow' | 'deny', priority: number, hostname = '.*') => ({
  ...FIELDS,
  action,
  priority,
  filter: { hostname },
})

describe('bowline firewall apply', () => {
  let server: BootedServer
  let home: string
  beforeAll(async () => {
    server = await bootServer()
    const ada = await server.setUpAccount()
    home = await mkdtemp(join(tmpdir(), 'bowline-firewall-'))
    await mkdir(join(home, '.config/bowline'), { recursive: true })
    const saved = { server: server.origin, token: ada.auth.token, refresh_token: 'none' }
    await writeFile(join(home, '.config/bowline/sign-in.json'), JSON.stringify(saved))
    await server.acceptedDevice(ada, { hostname: 'kiosk' })
  })
  afterAll(async () => {
    await server.close()
    await rm(home, { recursive: true })
  })
  const { json, bowline, refusal } = commandLine(() => ({ HOME: home }))
  async function file(rules: unknown): Promise<string> {
    await writeFile(join(home, 'rules.json'), JSON.stringify(rules))
    return join(home, 'rules.json')
  }
  const listed = async () => (await json('firewall list')) as Rule[]
  const priorities = async () => (await listed()).map(({ priority }) => priority)

  it('adds, replaces and removes rules, and does nothing the second time', async () => {
    const path = await file([rule('deny', 20, 'cellar'), rule('allow', 10)])
    expect(await bowline(`firewall apply ${path}`)).toMatch(/^Added rule \d+\.\nAdded rule \d+\.$/)
    expect(await bowline(`firewall apply ${path}`)).toBe('The rules are those of the file already.')
    const [first, second] = await listed()
    await file([{ ...first, priority: 30 }])
    expect(await bowline(`firewall apply ${path}`)).toBe(`Replaced rule ${first?.id}.\nRemoved rule ${second?.id}.`)
    expect(await priorities()).toEqual([30])
  })

  it('tells what it would do with --dry-run', async () => {
    const before = await listed()
    expect(await bowline(`firewall apply ${await file([])} --dry-run`)).toMatch(/^Of 0 sessions since /)
    expect(await listed()).toEqual(before)
  })

  it('takes nothing away that its person reaches, without --yes', async () => {
    const before = await listed()
    const path = await file([rule('deny', 40)])
    expect((await refusal(`firewall apply ${path}`))[1]).toMatch(/You would lose 1 of the 1 devices .* --yes/)
    expect(await listed()).toEqual(before)
    await bowline(`firewall apply ${path} --yes`)
    expect(await priorities()).toEqual([40])
    await bowline(`firewall apply ${await file([])}`)
    expect(await priorities()).toEqual([])
  })

  it('tells how far it came', async () => {
    const path = await file([rule('deny', 20, 'cellar'), { ...rule('deny', 10), filter: { tags: ['nobody-has-it'] } }])
    expect((await refusal(`firewall apply ${path}`))[1]).toMatch(/nobody-has-it/)
  })

  it('refuses a rule by an id that is not there, and changes nothing', async () => {
    const path = await file([{ ...rule('deny', 5, 'attic'), id: 4_711 }, rule('deny', 6, 'attic')])
    expect(await refusal(`firewall apply ${path} --yes`)).toEqual([
      2,
      'bowline: There is no rule 4711: leave its id out to add it.',
    ])
    expect(await priorities()).toEqual([])
  })

  it.each([
    ['[{"action":"deny"}]', /rules\.0\.active/],
    ['{}', /rules/],
    ['[{"id":4711}]', /rules\.0\./],
  ])('names what is wrong in %s', async (text, flaw) => {
    await writeFile(join(home, 'rules.json'), text)
    const [status, errors] = await refusal(`firewall apply ${join(home, 'rules.json')}`)
    expect([status, errors]).toEqual([2, expect.stringMatching(flaw)])
  })
})
