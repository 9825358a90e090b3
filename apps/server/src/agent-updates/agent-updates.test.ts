// Rollouts of agents over HTTP: who may start them, which device may fetch when, and when they go on, stop or are done.
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { UpdatePolicy } from '@bowline/contract/schemas/fleet/agent-update'
import { type AgentFacts, signAgentFacts, signRegistration } from '@bowline/link/registration-proof'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { writeManifest } from '../../../../scripts/release/manifest.ts'
import { putNode } from '../nodes/store.ts'
import { type Log, silentLog } from '../platform/log.ts'
import { type BootedServer, type Person, type RegisteredDevice, bootServer, outcome } from '../testing/boot.ts'
import { testContext } from '../testing/context.ts'
import { updateCounts } from './counts.ts'
import { advanceRollouts, isStageOver, reasonToHalt } from './progress.ts'
import { isWithin } from './window.ts'

const { agentUpdates, auth, devices } = operations
const ROUND_MS = 31_000
const MINUTE_MS = 60_000
let clock: ManualClock
let server: BootedServer
let owner: Person
let people = 0
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-rollouts-'))
  await writeFile(join(folder, 'bundle-linux-x64.tar.gz'), gzipSync('an agent'))
  const key = generateKeyPairSync('ed25519').privateKey
  await writeFile(join(folder, 'key.pem'), key.export({ type: 'pkcs8', format: 'pem' }))
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_AGENTS_DIR: folder } })
  await server.setUpAccount()
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  people += 1
  // The job sees to all of them.
  const system = server.database.system()
  await system.deleteFrom('agent_rollouts').execute()
  await system.deleteFrom('agent_update_policies').execute()
  owner = await server.addPerson(`person${people}`)
  sign(20)
})

/** Gives the server a signed release. */
function sign(release: number): void {
  writeManifest({
    folder,
    bundles: { 'linux-x64': join(folder, 'bundle-linux-x64.tar.gz') },
    key: join(folder, 'key.pem'),
    version: '2.0.0',
    release,
    minimumRelease: 0,
    rotations: undefined,
  })
}

/** Registers as its agent does. @returns the release that it is told to update to */
async function report(device: RegisteredDevice, facts: AgentFacts, signer: KeyObject = device.privateKey) {
  return (await told(device, facts, signer)).update?.release
}

/** Registers as its agent does. @returns what it is told */
async function told(device: RegisteredDevice, facts: AgentFacts, signer: KeyObject = device.privateKey) {
  // Each proof is later than the one before.
  clock.advance(1)
  const proof = signRegistration(device.privateKey, device.body, device.statement_key, clock.now())
  const agent = { ...facts, signature: signAgentFacts(signer, facts, proof) }
  const body = { ...device.body, proof, agent }
  return (await server.client().call(auth.authenticateDevice, { body })).body
}

/** Accepted devices that are online and run release 10. @param inTenth whether their uids are in that stage */
async function fleet(count: number, inTenth: boolean, tags: readonly string[] = []): Promise<RegisteredDevice[]> {
  const made: RegisteredDevice[] = []
  while (made.length < count) {
    const device = await server.registerDevice(owner.tenant)
    if (device.uid < '1999' !== inTenth) continue
    await owner.client.call(devices.setStatus, { params: { uid: device.uid, status: 'accept' } })
    made.push(device)
    await report(device, { release: 10 })
  }
  const uids = made.map(({ uid }) => uid)
  const rows = server.database.system().updateTable('devices').where('uid', 'in', uids)
  await rows.set({ disconnected_at: null, tags: [...tags] }).execute()
  return made
}

const policy = (more: Partial<UpdatePolicy> = {}) =>
  owner.client.call(agentUpdates.setPolicy, { body: { mode: 'manual', canary_tag: null, window: null, ...more } })
const begin = async () => (await owner.client.call(agentUpdates.start, {})).body
const now = async () => (await owner.client.call(agentUpdates.get, {})).body
/** Lets the job run, and waits for what it makes of the rollout. */
async function rolloutBecomes(expected: object): Promise<void> {
  await clock.advanceAsync(ROUND_MS)
  await expect.poll(async () => (await now()).rollout).toMatchObject(expected)
}

it('lets nobody below an administrator begin, and nobody at all while updates are off', async () => {
  const operator = await server.addPerson(`operator${people}`)
  await server.addMember(owner.tenant, operator.id, 'operator')
  const params = { tenant: owner.tenant }
  const { token } = (await operator.client.call(auth.switchNamespace, { params })).body
  const their = server.client(token)
  const body = { mode: 'manual', canary_tag: null, window: null } as const
  expect(await outcome(their.call(agentUpdates.setPolicy, { body }))).toBe('403 FORBIDDEN')
  expect(await outcome(their.call(agentUpdates.start, {}))).toBe('403 FORBIDDEN')
  expect(await outcome(begin())).toBe('409 ROLLOUT_REFUSED')
  expect((await their.call(agentUpdates.get, {})).body).toMatchObject({ policy: { mode: 'off' }, rollout: null })
})

it('believes a report that the device has signed, and no other', async () => {
  await policy()
  const [device] = await fleet(1, false)
  if (!device) throw new Error('there is a device')
  const stranger = generateKeyPairSync('ed25519').privateKey
  await report(device, { release: 30 }, stranger)
  expect((await now()).fleet).toEqual([{ release: 10, devices: 1 }])
  await report(device, { release: 11, obstacle: 'no key' })
  expect(await now()).toMatchObject({
    fleet: [{ release: 11, devices: 1 }],
    obstacles: [{ reason: 'no key', devices: 1 }],
  })
})

it('goes from the tagged devices to a tenth of all and to all, each when the ones before are well', async () => {
  const [tagged] = await fleet(1, false, ['canary'])
  const [tenth] = await fleet(1, true)
  const [other] = await fleet(1, false)
  if (!tagged || !tenth || !other) throw new Error('there are devices')
  await policy({ canary_tag: 'canary' })
  expect(await begin()).toMatchObject({ release: 20, state: 'running', stage: 'canary' })
  expect([await report(tenth, { release: 10 }), await report(other, { release: 10 })]).toEqual([undefined, undefined])
  expect(await report(tagged, { release: 10 })).toBe(20)
  expect(await report(tagged, { release: 20 })).toBeUndefined()
  // It has it, but not for long.
  await rolloutBecomes({ stage: 'canary', devices: { total: 1, updated: 1, failed: 0 } })
  clock.advance(10 * MINUTE_MS)
  await rolloutBecomes({ stage: 'tenth', state: 'running' })
  expect([await report(tenth, { release: 10 }), await report(other, { release: 10 })]).toEqual([20, undefined])
  await report(tenth, { release: 20 })
  await report(tagged, { release: 20 })
  clock.advance(10 * MINUTE_MS)
  await rolloutBecomes({ stage: 'all', state: 'running' })
  expect(await report(other, { release: 10 })).toBe(20)
  for (const device of [other, tenth, tagged]) await report(device, { release: 20 })
  clock.advance(10 * MINUTE_MS)
  await rolloutBecomes({ stage: 'all', state: 'done' })
})

it('stops when devices went back, and lets no other fetch the release', async () => {
  await policy()
  const [first, second, third] = await fleet(3, true)
  if (!first || !second || !third) throw new Error('there are devices')
  await begin()
  expect(await report(first, { release: 10 })).toBe(20)
  const failed = { release: 20, reason: 'it ended' }
  expect(await report(first, { release: 10, failed })).toBeUndefined()
  // One of three may have its own cause.
  await rolloutBecomes({ state: 'running', devices: { total: 3, updated: 0, failed: 1 } })
  expect(await report(second, { release: 10 })).toBe(20)
  expect(await report(second, { release: 10, failed })).toBeUndefined()
  await rolloutBecomes({ state: 'halted', reason: 'it failed on 2 of the 2 devices that tried it' })
  expect(await report(third, { release: 10 })).toBeUndefined()
})

it('waits for devices that have updated and are silent since', async () => {
  await policy()
  const [first, second] = await fleet(2, true)
  if (!first || !second) throw new Error('there are devices')
  await begin()
  for (const device of [first, second]) expect(await report(device, { release: 10 })).toBe(20)
  for (const device of [first, second]) await report(device, { release: 20 })
  clock.advance(40 * MINUTE_MS)
  await report(second, { release: 20 })
  await rolloutBecomes({ stage: 'tenth', state: 'running', devices: { total: 2, updated: 2, failed: 0 } })
  await report(first, { release: 20 })
  await rolloutBecomes({ stage: 'all', state: 'running' })
})

it('takes one device first where no device is in the tenth', async () => {
  await policy()
  const devices = (await fleet(3, false)).toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
  const [silent, lowest, other] = devices
  if (!silent || !lowest || !other) throw new Error('there are devices')
  clock.advance(1)
  await begin()
  // The first has not been heard of since the rollout began.
  expect(await report(other, { release: 10 })).toBe(20)
  expect(await report(lowest, { release: 10 })).toBe(20)
  await report(lowest, { release: 20 })
  expect(await report(other, { release: 10 })).toBeUndefined()
  clock.advance(10 * MINUTE_MS)
  await rolloutBecomes({ stage: 'all', state: 'running' })
})

it('keeps what devices report on one line', async () => {
  await policy()
  const [device] = await fleet(1, false)
  if (!device) throw new Error('there is a device')
  await report(device, { release: 11, obstacle: 'a\nb\u001b[2Jc\u202ed' })
  expect((await now()).obstacles).toEqual([{ reason: 'a b [2Jc d', devices: 1 }])
})

it('goes on with other namespaces when one has an error', async () => {
  const other = await server.addPerson(`other${people}`)
  const body = { mode: 'automatic', canary_tag: null, window: null } as const
  for (const person of [owner, other]) await person.client.call(agentUpdates.setPolicy, { body })
  const asked: string[] = []
  const logged: unknown[] = []
  const log: Log = { ...silentLog, error: (ev, fields) => void logged.push([ev, fields?.['tenant']]) }
  const contextOf = (tenant: string): never => {
    asked.push(tenant)
    throw new Error('its database is away')
  }
  const available = async () => ({ release: 20, version: '2.0.0', blocked: '' })
  await advanceRollouts({ system: server.database.system(), contextOf, available, log })
  expect(asked).toEqual(expect.arrayContaining([owner.tenant, other.tenant]))
  expect(logged).toEqual(asked.map((tenant) => ['agent-update.error', tenant]))
})

/** Passes that many minutes, in which the job sees to rollouts. @param reporting registers every ten of them */
async function passMinutes(minutes: number, reporting?: RegisteredDevice): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 2) {
    if (minute % 10 === 0 && reporting) await report(reporting, { release: 10 })
    clock.advance(2 * MINUTE_MS)
    await look()
  }
}

/** What the job does each half minute. */
function look(): Promise<void> {
  return advanceRollouts({
    system: server.database.system(),
    contextOf: (tenant) => testContext(server.database, tenant, { clock }),
    available: async () => ({ release: 20, version: '2.0.0', blocked: '' }),
    log: silentLog,
  })
}

it('stops when a device is not heard of any more after it began, while others are', async () => {
  await policy()
  const [device] = await fleet(1, true)
  const [other] = await fleet(1, false)
  if (!device || !other) throw new Error('there are devices')
  await begin()
  expect(await report(device, { release: 10 })).toBe(20)
  await passMinutes(22, other)
  expect((await now()).rollout).toMatchObject({ state: 'halted', reason: 'it failed on the only device' })
})

it('goes on after the server was down, when the devices are back', async () => {
  await policy({ canary_tag: 'canary' })
  const [device] = await fleet(1, true, ['canary'])
  const [other] = await fleet(1, false)
  if (!device || !other) throw new Error('there are devices')
  await begin()
  expect(await report(device, { release: 10 })).toBe(20)
  await passMinutes(4, other)
  clock.advance(40 * MINUTE_MS)
  await passMinutes(14, other)
  expect((await now()).rollout).toMatchObject({ state: 'running', devices: { total: 1, updated: 0, failed: 0 } })
  await report(device, { release: 20 })
  await passMinutes(12, other)
  const { rollout } = await now()
  expect([rollout?.state, rollout?.stage]).toEqual(['running', expect.stringMatching(/^(?:tenth|all)$/)])
})

it('waits while no device of the installation is heard of, as when its network is away', async () => {
  await policy()
  const [device] = await fleet(1, true)
  const [other] = await fleet(1, false)
  if (!device || !other) throw new Error('there are devices')
  await begin()
  expect(await report(device, { release: 10 })).toBe(20)
  await passMinutes(24)
  expect((await now()).rollout).toMatchObject({ state: 'running', devices: { failed: 0 } })
  // One that is back says that others could be.
  await passMinutes(22, other)
  expect((await now()).rollout).toMatchObject({ state: 'halted', reason: 'it failed on the only device' })
})

it('waits for a tagged device that was offline before it was told anything', async () => {
  await policy({ canary_tag: 'canary' })
  const [device] = await fleet(1, true, ['canary'])
  const [other] = await fleet(1, false)
  if (!device || !other) throw new Error('there are devices')
  clock.advance(31 * MINUTE_MS)
  await begin()
  await passMinutes(34, other)
  expect((await now()).rollout).toMatchObject({ state: 'running', stage: 'canary', devices: { total: 0, failed: 0 } })
  expect(await report(device, { release: 10 })).toBe(20)
})

it('lets a device hand its link over to the release that the server has, and to no other', async () => {
  const [device] = await fleet(1, false)
  if (!device) throw new Error('there is a device')
  const announced = async (updating: number, release = 10) => (await told(device, { release, updating })).handover
  expect([await announced(21), await announced(19), await announced(20, 20)]).toEqual([false, false, false])
  expect(await announced(20)).toBe(true)
  expect((await told(device, { release: 10 })).handover).toBeUndefined()
})

it('starts no rollout and tells devices nothing while a server runs that ends sessions with an update', async () => {
  const reason = 'a server of an older version is running, at which sessions would end with the update'
  await policy()
  const [device] = await fleet(1, true)
  if (!device) throw new Error('there is a device')
  const { id } = await begin()
  const nodes = server.database.system()
  const life = randomUUID()
  await putNode(nodes, { id: 'older', life, address: '', keyPin: '', version: '0.0.1' })
  await nodes.updateTable('nodes').set({ handover_life: null }).where('id', '=', 'older').execute()
  const heard = async () => {
    await clock.advanceAsync(5_000)
    return (await now()).blocked
  }
  await expect.poll(heard).toBe(reason)
  expect([await report(device, { release: 10 }), (await told(device, { release: 10, updating: 20 })).handover]).toEqual(
    [undefined, false],
  )
  await owner.client.call(agentUpdates.act, { params: { id }, body: { action: 'abort' } })
  await expect(begin()).rejects.toThrow(reason)
  await nodes.deleteFrom('nodes').where('id', '=', 'older').execute()
  await expect.poll(heard).toBe('')
  expect(await begin()).toMatchObject({ state: 'running' })
  expect(await report(device, { release: 10 })).toBe(20)
})

it('is counted for metrics, whatever devices report', async () => {
  const counted = async () => {
    const counts = await updateCounts(server.database.system(), clock)()
    if (!counts) throw new Error('the database answers')
    return counts
  }
  const before = await counted()
  await policy()
  const [full, broken, other, waiting] = await fleet(4, true)
  if (!full || !broken || !other || !waiting) throw new Error('there are devices')
  await report(other, { release: 987_654_321, obstacle: 'none' })
  await begin()
  expect(await report(waiting, { release: 10 })).toBe(20)
  await report(full, { release: 10, failed: { release: 20, reason: 'the disk is full' } })
  await report(broken, { release: 10, failed: { release: 20, reason: 'x'.repeat(300) } })
  const after = await counted()
  const more = (part: keyof typeof after, label: string) => (after[part][label] ?? 0) - (before[part][label] ?? 0)
  expect([more('rollouts', 'running'), more('rollouts', 'halted')]).toEqual([1, 0])
  expect(['excluded', 'failed', 'updating', 'current'].map((state) => more('devices', state))).toEqual([1, 2, 1, 0])
  expect([more('failures', 'disk'), more('failures', 'other')]).toEqual([1, 1])
  expect(more('releases', 'other') + more('releases', '20')).toBe(4)
  expect(after.releases).not.toHaveProperty('987654321')
  const text = await (await server.fetch('/metrics', { headers: server.nodeHeaders })).text()
  expect(text).toContain('bowline_agent_update_devices{state="failed"} ')
})

it('stops when the server has another release', async () => {
  await policy()
  await fleet(1, true)
  await begin()
  sign(21)
  await rolloutBecomes({ state: 'halted' })
  expect((await now()).rollout?.reason).toBe('the server has release 21 now')
})

it('is paused, resumed and aborted', async () => {
  await policy()
  const [device] = await fleet(1, true)
  if (!device) throw new Error('there is a device')
  const { id } = await begin()
  const act = (action: 'pause' | 'resume' | 'abort') =>
    owner.client.call(agentUpdates.act, { params: { id }, body: { action } })
  expect(await outcome(begin())).toBe('409 ROLLOUT_REFUSED')
  await act('pause')
  expect(await report(device, { release: 10 })).toBeUndefined()
  await act('pause')
  expect((await now()).rollout).toMatchObject({ state: 'paused' })
  await act('resume')
  expect(await report(device, { release: 10 })).toBe(20)
  await act('abort')
  expect((await now()).rollout).toMatchObject({ state: 'aborted' })
  expect(await outcome(act('resume'))).toBe('404 NOT_FOUND')
})

it('begins by itself where the namespace wants it, once for each release', async () => {
  await policy({ mode: 'automatic' })
  await rolloutBecomes({ release: 20, state: 'running' })
  const { rollout } = await now()
  await owner.client.call(agentUpdates.act, { params: { id: rollout?.id ?? '' }, body: { action: 'abort' } })
  await rolloutBecomes({ release: 20, state: 'aborted' })
  sign(21)
  await rolloutBecomes({ release: 21, state: 'running' })
  expect((await now()).available).toEqual({ release: 21, version: '2.0.0' })
})

it('lets devices begin within the window of the namespace only', async () => {
  const minute = Math.floor(clock.now() / MINUTE_MS) % 1_440
  await policy({ window: { start: (minute + 60) % 1_440, minutes: 30 } })
  const [device] = await fleet(1, true)
  if (!device) throw new Error('there is a device')
  await begin()
  expect(await report(device, { release: 10 })).toBeUndefined()
  await policy({ window: { start: minute, minutes: 30 } })
  expect(await report(device, { release: 10 })).toBe(20)
})

it('knows windows that pass midnight', () => {
  const at = (hours: number, minutes: number): number => (hours * 60 + minutes) * MINUTE_MS
  const window = { start: 23 * 60, minutes: 120 }
  expect([at(22, 59), at(23, 0), at(0, 59), at(1, 0)].map((time) => isWithin(window, time))).toEqual([
    false,
    true,
    true,
    false,
  ])
})

it('halts above the share of failures, and for a tag that nothing has', () => {
  const rollout = { release: 20, stage: 'all', canary_tag: null } as const
  const judged = (updated: number, failed: number, total = 100) =>
    reasonToHalt(
      rollout,
      { known: total, total, updated, healthy: 0, failed },
      { release: 20, version: '', blocked: '' },
    )
  expect([judged(0, 0), judged(90, 10), judged(89, 11)]).toEqual([
    undefined,
    undefined,
    'it failed on 11 of the 100 devices that tried it',
  ])
  // One device vetoes nothing, unless it is the last to try.
  expect([judged(0, 1), judged(3, 1), judged(3, 1, 4), judged(0, 2)]).toEqual([
    undefined,
    undefined,
    'it failed on 1 of the 4 devices that tried it',
    'it failed on 2 of the 2 devices that tried it',
  ])
  const none = { known: 0, total: 0, updated: 0, healthy: 0, failed: 0 }
  const canary = { release: 20, stage: 'canary', canary_tag: 'x' } as const
  const available = { release: 20, version: '', blocked: '' }
  expect(reasonToHalt(canary, none, available)).toBe('no device with the tag x can be updated')
  expect(reasonToHalt(canary, { ...none, known: 1 }, available)).toBeUndefined()
})

it('ends a stage when nine of ten devices are well, and never without a device, as after an outage', () => {
  const over = (total: number, healthy: number) =>
    isStageOver({ known: total, total, updated: healthy, healthy, failed: 0 })
  expect([over(10, 9), over(10, 8), over(0, 0)]).toEqual([true, false, false])
})
