// An agent without a namespace, at a double of the platform.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@bowline/base/clock'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { verifyPairing } from '@bowline/link/registration-proof'
import { parseServerAddress } from '@bowline/link/server-address'
import { until } from '@bowline/testkit/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Agent } from '../agent.ts'
import { createLog } from '../log.ts'
import { fakeAuthority } from '../testing.ts'
import { type FakePlatform, startPlatform, TENANT } from '../testing-platform.ts'
import { describeDevice } from './identity.ts'
import { loadDeviceKey } from './key.ts'
import { StatementKeyFile } from './statement-key-file.ts'
import { TenantFile } from './tenant-file.ts'

let folder: string
let platform: FakePlatform
const agents: Agent[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-pairing-'))
  platform = await startPlatform()
})
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.close()
  await platform.close()
  rmSync(folder, { recursive: true })
})

const tenantFile = () => join(folder, 'agent.key.namespace.json')

function startAgent(configured?: string) {
  const lines: Record<string, unknown>[] = []
  const states: boolean[] = []
  const clock = new ManualClock()
  const timers: number[] = []
  const recording: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    every: (ms, action) => clock.every(ms, action),
    after(ms, action) {
      timers.push(ms)
      return clock.after(ms, action)
    },
  }
  const address = parseServerAddress(platform.address)
  if ('fault' in address) throw new Error(address.fault)
  const { privateKey, publicKeyPem } = loadDeviceKey(join(folder, 'agent.key'))
  const facts = { description: describeDevice('1.0.0'), hostname: 'box', identity: '02:00:00:00:00:01', publicKeyPem }
  const agent = new Agent({
    killOrphans: false,
    permitUserRc: true,
    health: undefined,
    engineSocket: undefined,
    reachable: ({ pairing = false }) => states.push(pairing),
    agentFacts: () => ({ release: 0 }),
    updateOffered: () => {},
    onIdle: () => {},
    server: { address: address.value, pins: undefined },
    facts: { ...facts, installKey: undefined },
    tenant: new TenantFile(tenantFile(), configured),
    privateKey,
    statementKeys: new StatementKeyFile(join(folder, 'agent.key.statement.json')),
    authority: fakeAuthority(),
    pingMs: 3_600_000,
    clock: recording,
    log: createLog('warn', (line) => lines.push(JSON.parse(line)), false),
    random: () => 0,
  })
  agents.push(agent)
  agent.start()
  return {
    agent,
    clock,
    logged: (ev: string) => lines.filter((line) => line['ev'] === ev),
    /** What `status` says of the pairing, in order. */
    states,
    /** Waits between questions, in milliseconds; the timer of the next registration is longer. */
    waits: () => timers.filter((ms) => ms < 60_000),
  }
}

/** Lets the agent ask until the platform has had so many questions. */
async function polled(clock: ManualClock, count: number): Promise<void> {
  await until(async () => {
    await clock.advanceAsync(1_000)
    return platform.polls.length >= count
  })
}

const paired = { status: 200, body: { tenant_id: TENANT, namespace: 'home' } }
const expired = { status: 400, body: { code: 'CODE_EXPIRED' } }

test('shows a code that its key has signed for, and registers in the namespace of whoever used it', async () => {
  const { clock, logged, states } = startAgent()
  await until(() => logged('pairing.code').length === 1)
  expect(logged('pairing.code')[0]).toMatchObject({ code: 'BCDF-GHJK', fingerprint: 'SHA256:key', minutes: 15 })
  const [request] = platform.codeRequests
  if (!request) throw new Error('the agent asks for a code')
  expect(verifyPairing(request, request.proof)).toBe(true)
  expect(verifyPairing({ ...request, hostname: 'other' }, request.proof)).toBe(false)
  await polled(clock, 2)
  expect(platform.registrations).toEqual([])
  platform.onPoll = () => paired
  await polled(clock, 3)
  await until(() => platform.links.length === 1)
  expect(platform.polls).toEqual(['secret-1', 'secret-1', 'secret-1'])
  expect(platform.registrations[0]).toMatchObject({ tenant_id: TENANT, hostname: 'box' })
  await until(() => states.length === 3)
  expect(states).toEqual([true, false, false])
})

test('does not ask again after a restart', async () => {
  const { agent, clock, logged } = startAgent()
  await until(() => logged('pairing.code').length === 1)
  platform.onPoll = () => paired
  await polled(clock, 1)
  await until(() => platform.links.length === 1)
  agent.close()
  expect(JSON.parse(readFileSync(tenantFile(), 'utf8'))).toEqual({ version: 1, tenant_id: TENANT })
  expect(statSync(tenantFile()).mode & 0o777).toBe(0o600)
  startAgent()
  await until(() => platform.links.length === 2)
  expect(platform.codeRequests).toHaveLength(1)
})

test('shows the next code, and says so, when nobody has used one', async () => {
  const { clock, logged } = startAgent()
  await until(() => logged('pairing.code').length === 1)
  platform.onPoll = () => expired
  await polled(clock, 1)
  await until(() => logged('pairing.renewed').length === 1)
  expect(logged('pairing.renewed')[0]).toMatchObject({ code: 'BCDF-GHJL' })
  platform.onPoll = () => paired
  await polled(clock, 2)
  await until(() => platform.links.length === 1)
  expect(platform.polls).toEqual(['secret-1', 'secret-2'])
})

test('keeps its code through limits and failures of the server', async () => {
  const { clock, logged } = startAgent()
  await until(() => logged('pairing.code').length === 1)
  const failures = [429, 503, 500].map((status) => ({ status, body: { message: 'not now' } }))
  platform.onPoll = () => failures.shift() ?? paired
  await polled(clock, 4)
  await until(() => platform.links.length === 1)
  expect(platform.codeRequests).toHaveLength(1)
})

test('asks slower and slower, up to three times the interval', async () => {
  const { clock, waits } = startAgent()
  await polled(clock, 15)
  const seconds = waits().map((ms) => Math.round(ms / 1_000))
  expect(seconds.slice(0, 15)).toEqual([5, 6, 6, 7, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 15])
})

test('stops waiting when the agent is stopped', async () => {
  const { agent, clock, logged } = startAgent()
  await until(() => logged('pairing.code').length === 1)
  await agent.drain()
  agent.close()
  await clock.advanceAsync(60_000)
  expect(platform.polls).toEqual([])
})

test('asks for no code when the settings name a namespace', async () => {
  writeFileSync(tenantFile(), '{"version":1,"tenant_id":"00000000-0000-4000-8000-000000000001"}')
  startAgent(TENANT)
  await until(() => platform.links.length === 1)
  expect(platform.registrations[0]).toMatchObject({ tenant_id: TENANT })
  expect(platform.codeRequests).toEqual([])
})

test('does not treat a damaged file as missing', () => {
  writeFileSync(tenantFile(), '{}')
  expect(() => new TenantFile(tenantFile(), undefined)).toThrow(tenantFile())
})

test('names the file to remove when its namespace is gone', async () => {
  writeFileSync(tenantFile(), `{"version":1,"tenant_id":"${TENANT}"}`)
  platform.refuseRegistration = 404
  const { logged } = startAgent()
  await until(() => logged('registration.failed').length === 1)
  expect(logged('registration.failed')[0]).toMatchObject({ removeToPairAgain: tenantFile() })
})

test('goes on without the file where it cannot be written, and says so', async () => {
  const { clock, logged } = startAgent()
  await until(() => logged('pairing.code').length === 1)
  mkdirSync(`${tenantFile()}.new`)
  platform.onPoll = () => paired
  await polled(clock, 1)
  await until(() => platform.links.length === 1)
  expect(logged('pairing.not-kept')).toHaveLength(1)
  expect(platform.codeRequests).toHaveLength(1)
})
