// `bowline roles …` of a person who is signed in at a server.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../../testing/boot.ts'
import { commandLine } from '../../testing.ts'

let server: BootedServer
let home: string
beforeAll(async () => {
  server = await bootServer()
  const ada = await server.setUpAccount()
  const olga = await server.addPerson('olga')
  await server.addMember(ada.tenant, olga.id, 'observer')
  home = await mkdtemp(join(tmpdir(), 'bowline-roles-'))
  await mkdir(join(home, '.config/bowline'), { recursive: true })
  const saved = { server: server.origin, token: ada.auth.token, refresh_token: 'none' }
  await writeFile(join(home, '.config/bowline/sign-in.json'), JSON.stringify(saved))
})
afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true })
})
const { json, bowline, refusal } = commandLine(() => ({ HOME: home }))

describe('bowline roles', () => {
  it('adds a role, gives it to a member, takes it back and removes it', async () => {
    expect(await bowline('roles add kiosks --may sessionPlay --may sessionClose --tag kiosk')).toBe(
      'Added the role kiosks.',
    )
    expect(await bowline('roles assign olga@example.com Kiosks')).toBe('olga@example.com has the roles Kiosks now.')
    const [, row] = (await bowline('roles list')).split('\n')
    expect(row).toMatch(/^kiosks +kiosk +1 +sessionPlay,sessionClose$/)
    expect(await bowline('roles assign olga@example.com')).toBe('olga@example.com has no role of the namespace now.')
    expect(await json('roles list')).toMatchObject([{ name: 'kiosks', tags: ['kiosk'], members: [] }])
    expect(await bowline('roles remove kiosks')).toBe('Removed the role kiosks.')
    expect(await json('roles list')).toEqual([])
  })

  it.each([
    ['roles add auditors', 'permissions must have at least one permission.'],
    ['roles add auditors --may everything', 'permissions.0 '],
    ['roles add auditors --may auditRead --tag lab', 'permissions may be about devices only where the role has tags.'],
    ['roles remove missing', 'The namespace has no role named missing.'],
    ['roles assign nobody@example.com', 'The namespace has no member with the address nobody@example.com.'],
  ])('refuses %s', async (line, text) => {
    expect((await refusal(line))[1]).toContain(text)
  })
})
