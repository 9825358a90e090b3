// `bowline snippets …` of a person who is signed in at a server.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'
import { saveSignIn } from './sign-in-file.ts'

let server: BootedServer
let home: string
beforeAll(async () => {
  server = await bootServer()
  const ada = await server.setUpAccount()
  home = await mkdtemp(join(tmpdir(), 'bowline-snippets-'))
  await saveSignIn({ env: { HOME: home } }, { server: server.origin, token: ada.auth.token, refresh_token: 'none' })
})
afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true })
})
const { bowline, json, refusal } = commandLine(() => ({ HOME: home }))

it('shares, lists, changes and deletes a snippet', async () => {
  expect(await bowline('snippets add disks --text df')).toBe('Shared the snippet disks.')
  expect(await bowline('snippets add logs --text - --tag kiosk --tag lobby', 'cd /var/log\r\nls -t\n')).toMatch(/logs/)
  const lines = (await bowline('snippets list')).split('\n')
  expect(lines[1]).toMatch(/^disks +all +\d{4}-\S+Z +\w+ +df$/)
  expect(lines[2]).toMatch(/^logs +kiosk,lobby +\S+ +\w+ +cd \/var\/log … \(2 lines\)$/)
  expect(await bowline('snippets show logs')).toBe('cd /var/log\nls -t')
  await bowline('snippets update logs --rename newest --all-devices')
  expect(await json('snippets show newest')).toMatchObject({ text: 'cd /var/log\nls -t', tags: [] })
  expect(await bowline('snippets update newest --text ls --tag kiosk')).toBe('Changed the snippet newest.')
  expect(await json('snippets show newest')).toMatchObject({ text: 'ls', tags: ['kiosk'] })
  for (const name of ['newest', 'disks']) await bowline(`snippets remove ${name}`)
  expect(await json('snippets list')).toEqual([])
})

it.each([
  ['snippets show nothing', 'The namespace has no snippet named nothing.'],
  ['snippets update x', 'One of --rename, --text, --tag and --all-devices is needed.'],
  ['snippets update x --tag kiosk --all-devices', '--tag and --all-devices exclude each other.'],
  ['snippets add x', "required option '--text <text>' not specified"],
  ['snippets add x --text a\tb', 'must have visible characters'],
])('refuses %s', async (line, reason) => {
  expect((await refusal(line))[1]).toContain(reason)
})
