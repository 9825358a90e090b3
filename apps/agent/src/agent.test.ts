import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { verifyRegistration } from '@bowline/link/registration-proof'
import { parseServerAddress } from '@bowline/link/server-address'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Agent } from './agent.ts'
import { describeDevice } from './device/identity.ts'
import { loadDeviceKey } from './device/key.ts'
import { StatementKeyFile } from './device/statement-key-file.ts'
import { TenantFile } from './device/tenant-file.ts'
import { createLog } from './log.ts'
import { until } from '@bowline/testkit/until'
import { exec, exitOfSession, fakeAuthority, logIn, offer, openSession, SESSION_UID } from './testing.ts'
import { DEVICE_UID, startPlatform, TENANT, type FakePlatform } from './testing-platform.ts'

let folder: string
let platform: FakePlatform
const agents: Agent[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-agent-'))
  platform = await startPlatform()
})
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.close()
  await platform.close()
  rmSync(folder, { recursive: true })
})

function startAgent() {
  const log: Record<string, unknown>[] = []
  const clock = new ManualClock()
  const address = parseServerAddress(platform.address)
  if ('fault' in address) throw new Error(address.fault)
  const { privateKey, publicKeyPem } = loadDeviceKey(join(folder, 'agent.key'))
  const agent = new Agent({
    killOrphans: false,
    permitUserRc: true,
    engineSocket: undefined,
    health: undefined,
    reachable: () => {},
    agentFacts: () => ({ release: 0 }),
    updateOffered: () => {},
    onIdle: () => {},
    server: { address: address.value, pins: undefined },
    facts: {
      description: describeDevice('1.0.0'),
      hostname: 'box',
      identity: '02:00:00:00:00:01',
      publicKeyPem,
      installKey: undefined,
    },
    tenant: new TenantFile(join(folder, 'agent.key.namespace.json'), TENANT),
    privateKey,
    statementKeys: new StatementKeyFile(join(folder, 'agent.key.statement.json')),
    authority: fakeAuthority(),
    pingMs: 3_600_000,
    clock,
    log: createLog('info', (line) => log.push(JSON.parse(line)), false),
    random: () => 0,
  })
  agents.push(agent)
  agent.start()
  const logged = (ev: string) => log.filter((line) => line['ev'] === ev)
  return { agent, clock, logged }
}

async function link(index: number) {
  await until(() => platform.links.length > index)
  const found = platform.links[index]
  if (!found) throw new Error('there is a link')
  return found
}

test('registers again every ten minutes, with its open sessions', async () => {
  const { clock } = startAgent()
  await logIn(await link(0))
  await clock.advanceAsync(600_000)
  await until(() => platform.registrations.length === 2)
  expect(platform.registrations.map((registration) => registration.sessions)).toEqual([[], [SESSION_UID]])
  await clock.advanceAsync(600_000)
  await until(() => platform.registrations.length === 3)
  expect(platform.links.length).toBe(1)
})

test('signs registrations for the server once its statement key is known', async () => {
  const statementKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? ''
  platform.extra['statement_key'] = statementKey
  const { clock } = startAgent()
  await link(0)
  await clock.advanceAsync(600_000)
  await until(() => platform.registrations.length === 2)
  const [first, second] = platform.registrations
  expect(first?.proof).toBeUndefined()
  if (!second?.proof) throw new Error('the second registration is signed')
  expect(verifyRegistration(second, statementKey, second.proof)).toBe(true)
  expect(verifyRegistration({ ...second, hostname: 'other' }, statementKey, second.proof)).toBe(false)
})

test('requires the statement for a login that the platform has authorized', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  platform.extra['statement_key'] = publicKey.export({ format: 'jwk' }).x
  startAgent()
  const gateway = await link(0)
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + 60
  const claims = { session: SESSION_UID, user: 'root', device: DEVICE_UID, exp }
  const signed = `${encode({ alg: 'EdDSA' })}.${encode(claims)}`
  const statement = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
  const { stream, answers } = await offer(gateway, [{ method: 'statement', statement }], 'root')
  expect(answers).toEqual([{ type: 'accepted' }])
  expect(await exitOfSession(openSession(gateway, stream, { run: exec('exit 2') }))).toEqual({
    type: 'exit',
    status: 2,
  })
  expect((await offer(gateway, [{ method: 'statement', statement }], 'ann')).answers).toEqual([
    { type: 'denied', reason: 'credential' },
  ])
})

test('rejects and logs a statement key that the known one has not signed', async () => {
  const rawKey = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x
  platform.extra['statement_key'] = rawKey()
  const { clock, logged } = startAgent()
  await link(0)
  expect(logged('statement-key.learned').length).toBe(1)
  platform.extra['statement_key'] = rawKey()
  await clock.advanceAsync(600_000)
  await until(() => logged('statement-key.refused').length === 1)
  expect(logged('statement-key.refused')[0]).toMatchObject({
    level: 'error',
    file: join(folder, 'agent.key.statement.json'),
  })
})

test('waits and logs the reason when another agent displaces it', async () => {
  const { clock, logged } = startAgent()
  const first = await link(0)
  first.close({ by: 'gateway', reason: 'displaced', message: '' })
  await until(() => logged('link.displaced').length === 1)
  expect(logged('link.displaced')[0]).toMatchObject({ level: 'error', nextAttemptSeconds: 30 })
  await clock.advanceAsync(29_000)
  expect(platform.links.length).toBe(1)
  await clock.advanceAsync(1_000)
  await link(1)
})

test('keeps sessions of the old link running while it moves to a new one', async () => {
  const { clock } = startAgent()
  const old = await link(0)
  const login = await logIn(old)
  const session = openSession(old, login, { run: exec('read line; echo "got $line"') })
  await until(() => session.messages.length === 1)
  old.goaway({ by: 'gateway', reason: 'restart', message: '' })
  await until(() => clock.pending > 0)
  // Goaway travels through a real socket; the clock is advanced until it has arrived.
  while (platform.links.length < 2) {
    await clock.advanceAsync(1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  session.stream.write(Buffer.from('it\n'))
  expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 0 })
  expect(session.text()).toBe('got it\n')
  // Stream ids are not valid on another link.
  expect(await openSession(await link(1), login).whenClosed()).toMatchObject({ reason: 'refused' })
})
