// `bowline audit-streams …` of a person who is signed in at a server.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  home = await mkdtemp(join(tmpdir(), 'bowline-audit-streams-'))
  await mkdir(join(home, '.config/bowline'), { recursive: true })
  const saved = { server: server.origin, token: ada.auth.token, refresh_token: 'none' }
  await writeFile(join(home, '.config/bowline/sign-in.json'), JSON.stringify(saved))
  await writeFile(join(home, 'header'), 'Splunk confidential\n')
})
afterAll(async () => {
  await server.close()
  await receiver.close()
  await rm(home, { recursive: true })
})
const { json, bowline, refusal } = commandLine(() => ({ HOME: home }))

describe('bowline audit-streams', () => {
  it('adds a stream, shows its secret once, tests, pauses, resumes and removes it', async () => {
    const header = `--authorization-file ${join(home, 'header')}`
    expect(
      await bowline(`audit-streams add siem ${receiver.url}/x --format splunk-hec --about audit-stream ${header}`),
    ).toMatch(/^Added the audit stream siem\.\nSecret: whs-[\w-]{43}$/)
    await receiver.received(1)
    expect(receiver.messages[0]?.headers.authorization).toBe('Splunk confidential')
    expect(await bowline('audit-streams pause siem')).toBe('Paused the audit stream siem.')
    const [, row] = (await bowline('audit-streams list')).split('\n')
    expect(row).toMatch(/^siem +127\.0\.0\.1:\d+ +splunk-hec +audit-stream +\d+ +paused +/)
    expect(await bowline('audit-streams test siem')).toBe('The receiver accepted the test entry. It answered 200.')
    receiver.answer({ status: 403 })
    expect((await refusal('audit-streams test siem'))[1]).toContain('It answered 403.')
    expect(await json('audit-streams resume siem')).toMatchObject({ active: true })
    expect(await bowline('audit-streams remove siem')).toBe('Removed the audit stream siem.')
    expect(await json('audit-streams list')).toEqual([])
  })

  it.each([
    ['audit-streams add a https://x.example --format xml', 'format must be one of json, ndjson, splunk-hec.'],
    ['audit-streams add a ftp://x.example', 'url must be an address that begins with https://.'],
    ['audit-streams test missing', 'The namespace has no audit stream named missing.'],
  ])('refuses %s', async (line, text) => {
    expect((await refusal(line))[1]).toContain(text)
  })
})
