// `bowline tag-rules …` of a person who is signed in at a server.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TagRules } from '@bowline/contract/operations/fleet/tag-rules'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../../testing/boot.ts'
import { commandLine } from '../../testing.ts'
import { saveSignIn } from '../sign-in-file.ts'

let server: BootedServer
let home: string
beforeAll(async () => {
  server = await bootServer()
  const ada = await server.setUpAccount()
  await server.acceptedDevice(ada, { hostname: 'kiosk-1' })
  home = await mkdtemp(join(tmpdir(), 'bowline-tag-rules-'))
  await saveSignIn({ env: { HOME: home } }, { server: server.origin, token: ada.auth.token, refresh_token: 'none' })
})
afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true })
})
const { bowline, json, refusal } = commandLine(() => ({ HOME: home }))
const rules = async () => ((await json('tag-rules list')) as TagRules).rules

it('adds, lists, changes and deletes a rule', async () => {
  expect(await bowline('tag-rules add kiosk name:kiosk- --dry-run')).toBe(
    '1 device matches: kiosk-1.\n1 device would get the tag, 0 devices would lose it.',
  )
  expect(await rules()).toEqual([])
  expect(await bowline('tag-rules add kiosk name:kiosk-')).toMatch(/^Added the rule \S+: 1 device matches\.$/)
  const [{ id } = { id: '' }] = await rules()
  expect(await bowline('tag-rules list')).toMatch(new RegExp(`^${id} +kiosk +name:kiosk- +[01] of 1 +on$`, 'm'))
  await until(async () => (await rules()).every(({ tagged }) => tagged === 1))
  expect(await bowline(`tag-rules update ${id} --off --dry-run`)).toBe(
    '1 device matches: kiosk-1.\n0 devices would get the tag, 1 device would lose it.',
  )
  expect(await rules()).toMatchObject([{ active: true }])
  expect(await bowline(`tag-rules update ${id} --off --query name:till-`)).toMatch(/: 0 devices match\.$/)
  expect(await rules()).toMatchObject([{ id, query: 'name:till-', active: false }])
  expect(await bowline(`tag-rules remove ${id}`)).toBe(`Deleted the rule ${id}.`)
  expect(await rules()).toEqual([])
})

it.each([
  ['tag-rules remove nothing', 'The namespace has no tag rule nothing'],
  ['tag-rules update x', 'One of --tag, --query, --on and --off is needed.'],
  ['tag-rules update x --on --off', '--on and --off exclude each other.'],
  ['tag-rules add kiosk tag:kiosk', 'must not depend on tags'],
])('refuses %s', async (line, reason) => {
  expect((await refusal(line))[1]).toContain(reason)
})
