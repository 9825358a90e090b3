// `bowline jobs …` of a person who is signed in at a server.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { DeviceJob } from '@bowline/contract/operations/fleet/device-jobs'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../../testing/boot.ts'
import { commandLine } from '../../testing.ts'
import { saveSignIn } from '../sign-in-file.ts'

const { deviceJobs, devices } = operations
let server: BootedServer
let ada: Person
let home: string
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
  const full = await server.acceptedDevice(ada, { hostname: 'full' })
  await ada.client.call(devices.setTags, { params: { uid: full.uid }, body: { tags: ['one', 'two', 'three'] } })
  await server.acceptedDevice(ada, { hostname: 'free' })
  home = await mkdtemp(join(tmpdir(), 'bowline-jobs-'))
  await saveSignIn({ env: { HOME: home } }, { server: server.origin, token: ada.auth.token, refresh_token: 'none' })
})
afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true })
})
const { bowline, json, refusal } = commandLine(() => ({ HOME: home }))
const jobs = async () => (await json('jobs list')) as DeviceJob[]
const rest = () => until(async () => (await jobs()).every(({ state }) => state !== 'running'))

it('lists changes, prints one with its failures, and takes it back', async () => {
  expect(await jobs()).toEqual([])
  await ada.client.call(deviceJobs.create, { body: { action: 'tag', tags: ['autumn'] } })
  await rest()
  const [{ id } = { id: '' }] = await jobs()
  expect(await bowline('jobs list')).toMatch(new RegExp(`^${id} +tag autumn +done +1 +1 +2 +20`, 'm'))
  expect(await bowline(`jobs show ${id}`)).toMatch(/^1 failed: At most 3 tags are allowed\. full$/m)
  const failure = { name: 'full', code: 'TAG_LIMIT', message: 'At most 3 tags are allowed.' }
  expect(await bowline(`jobs failures ${id}`)).toMatch(/^full +TAG_LIMIT +At most 3 tags are allowed\.$/m)
  expect(await json(`jobs failures ${id}`)).toMatchObject([failure])
  expect(JSON.parse(await bowline(`jobs failures ${id} --format jsonl`))).toMatchObject(failure)
  expect(await bowline(`jobs failures ${id} --format csv --cause DEVICE_LIMIT`)).toBe('"name","uid","code","message"')
  expect(await bowline(`jobs undo ${id}`)).toMatch(/^Started \S+, which takes back 1 of its changes\.$/)
  await rest()
  expect((await jobs()).map(({ action, done }) => ({ action, done }))).toEqual([
    { action: 'undo', done: 1 },
    { action: 'tag', done: 1 },
  ])
  expect(await bowline(`jobs stop ${id}`)).toBe(`Stopped the change ${id}.`)
})

it('refuses what is no job, and a retry of what nothing is left of', async () => {
  const [{ id } = { id: '' }] = await jobs()
  expect((await refusal(`jobs retry ${id}`))[0]).not.toBe(0)
  expect((await refusal('jobs show nothing'))[1]).toContain('id: must be the id of a job')
  expect((await refusal('jobs stop 00000000-0000-4000-8000-000000000000'))[1]).toContain('The job was not found')
})
