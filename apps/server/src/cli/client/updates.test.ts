// `bowline updates` against a whole server.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeManifest } from '../../../../../scripts/release/manifest.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'
import { saveSignIn } from './sign-in-file.ts'

let server: BootedServer
let person: Person
let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'bowline-updates-'))
  server = await bootServer({ settings: { BOWLINE_AGENTS_DIR: home } })
  person = await server.setUpAccount()
  const { auth } = person
  await saveSignIn({ env: { HOME: home } }, { server: server.origin, token: auth.token, refresh_token: 'none' })
})
afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true })
})
const cli = commandLine(() => ({ HOME: home }))
const run = (line: string) => cli.run(line.split(' '))

it('says why there is nothing to update to', async () => {
  const { out } = await run('updates status')
  expect(out).toBe('The server has no release for agents: its agents are not signed.\nUpdates are off.')
  expect(await cli.refusal('updates start')).toEqual([1, expect.stringContaining('its agents are not signed')])
})

it('refuses a mode and a window that are none', async () => {
  expect(await cli.refusal('updates policy sometimes')).toEqual([2, expect.stringContaining('mode')])
  expect(await cli.refusal('updates policy manual --window 25:00+10')).toEqual([2, expect.stringContaining('HH:MM')])
})

it('sets a policy, starts a rollout, holds it and ends it', async () => {
  await writeFile(join(home, 'bundle-linux-x64.tar.gz'), gzipSync('an agent'))
  const key = generateKeyPairSync('ed25519').privateKey
  await writeFile(join(home, 'key.pem'), key.export({ type: 'pkcs8', format: 'pem' }))
  writeManifest({
    folder: home,
    bundles: { 'linux-x64': join(home, 'bundle-linux-x64.tar.gz') },
    key: join(home, 'key.pem'),
    version: '2.0.0',
    release: 7,
    minimumRelease: 0,
    rotations: undefined,
  })
  const set = await run('updates policy manual --canary-tag early --window 01:30+120 --json')
  const window = { start: 90, minutes: 120 }
  expect(JSON.parse(set.out)).toEqual({ mode: 'manual', canary_tag: 'early', window })
  expect((await run('updates start')).out).toContain('Release 7: running, stage canary; 0 of 0 devices have it')
  expect(JSON.parse((await run('updates pause --json')).out)).toMatchObject({ state: 'paused' })
  expect((await run('updates status')).out).toContain(
    'Updates are manual, devices tagged early first, from 01:30 UTC for 120 minutes.\nRelease 7: paused',
  )
  expect((await run('updates resume')).out).toContain('Release 7: running')
  expect((await run('updates abort')).out).toContain('Release 7: aborted')
  expect(await cli.refusal('updates pause')).toEqual([1, expect.stringContaining('No rollout is in progress.')])
})

it('shows what a device reports on one line, without control characters', async () => {
  const device = await server.acceptedDevice(person)
  const obstacle = 'a\nb\u001b[2Jc\u202ed'
  const state = { device_uid: device.uid, tenant_id: person.tenant, release: 1, obstacle, since: new Date(0) }
  // As servers of earlier versions have stored it.
  const insert = server.database.system().insertInto('agent_states')
  await insert.values({ ...state, failed_release: null, failed_reason: null, reported_at: new Date(0) }).execute()
  expect((await run('updates status')).out).toMatch(/^1 not updated: a b\[2Jcd$/m)
})
