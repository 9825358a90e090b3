// `bowline alerts …` of a person who is signed in at a server.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../../alerts/testing.ts'
import { type BootedServer, bootServer } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let server: BootedServer
let receiver: Receiver
let home: string
beforeAll(async () => {
  receiver = await startReceiver()
  server = await bootServer({ settings: { BOWLINE_EGRESS_ALLOWED: '127.0.0.0/8' } })
  const ada = await server.setUpAccount()
  home = await mkdtemp(join(tmpdir(), 'bowline-alerts-'))
  await mkdir(join(home, '.config/bowline'), { recursive: true })
  const saved = { server: server.origin, token: ada.auth.token, refresh_token: 'none' }
  await writeFile(join(home, '.config/bowline/sign-in.json'), JSON.stringify(saved))
})
afterAll(async () => {
  await server.close()
  await receiver.close()
  await rm(home, { recursive: true })
})
const { json, bowline, refusal } = commandLine(() => ({ HOME: home }))

describe('bowline alerts', () => {
  it('adds a rule, shows its secret once, tests it, lists its messages and removes it', async () => {
    expect(
      await bowline(`alerts add kiosks many-offline --devices 10 --tag kiosk --webhook ${receiver.url}/x`),
    ).toMatch(/^Added the alert rule kiosks\.\nSecret: whs-[\w-]{43}$/)
    const lines = (await bowline('alerts list')).split('\n')
    expect(lines[1]).toMatch(/^kiosks +many-offline +5 +10 +kiosk +webhook 127\.0\.0\.1:\d+ +on$/)
    expect(await json('alerts test kiosks')).toMatchObject({ state: 'queued', test: true })
    await receiver.received(1)
    await until(async () => (await bowline('alerts log kiosks')).includes('It answered 200.'))
    expect(await bowline('alerts renew-secret kiosks')).toMatch(/^Secret: whs-[\w-]{43}$/)
    expect(await bowline('alerts remove kiosks')).toBe('Removed the alert rule kiosks.')
    expect(await json('alerts list')).toEqual([])
  })

  it('adds a rule about the devices that a filter finds', async () => {
    const rule = await json(`alerts add cellar offline --search cellar --arch arm64 --webhook ${receiver.url}/x`)
    const { filter } = rule as { filter: string }
    const conditions = JSON.parse(Buffer.from(filter, 'base64').toString()) as { params: { name: string } }[]
    expect(conditions.map(({ params }) => params.name)).toEqual(['words', 'and', 'info.arch', 'or'])
    expect((await bowline('alerts list')).split('\n')[1]).toMatch(/^cellar +offline +5 +\(filter\) /)
    await bowline('alerts remove cellar')
  })

  it.each([
    ['alerts add a offline --filter x --webhook https://x.example', '--filter must be JSON.'],
    ['alerts add a offline --filter [] --search x --webhook https://x.example', 'exclude each other.'],
    ['alerts add a offline --online --offline --webhook https://x.example', 'exclude each other.'],
    ['alerts add a offline', 'One of --webhook, --slack and --mail is needed.'],
    ['alerts add a gone --webhook https://x.example', 'condition must be one of offline, many-offline, back, disk,'],
    ['alerts add a offline --minutes x --webhook https://x.example', 'minutes must be a number.'],
    ['alerts add a offline --mail nobody@example.com', 'no member with the address nobody@example.com'],
    ['alerts test missing', 'The namespace has no alert rule named missing.'],
  ])('refuses %s', async (line, text) => {
    expect((await refusal(line))[1]).toContain(text)
  })
})
