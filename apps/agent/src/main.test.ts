import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { selfSignedCertificate } from '@bowline/link/testing/tls'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { hashPassword } from './hash-password.ts'
import { until } from '@bowline/testkit/until'
import { exec, exitOfSession, offer, openSession } from './testing.ts'
import { startPlatform, TENANT, type FakePlatform } from './testing-platform.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bowline-agent-'))
let hash: string
let platform: FakePlatform | undefined
const agents: ChildProcess[] = []

beforeAll(async () => {
  hash = await hashPassword('secret')
})
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.kill('SIGKILL')
  await platform?.close()
  platform = undefined
})
afterAll(() => rmSync(folder, { recursive: true }))

interface AgentProcess {
  readonly child: ChildProcess
  stderr: string
  status: number | null | undefined
}

let keys = 0
function startAgent(address: string, env: Record<string, string> = {}): AgentProcess {
  keys += 1
  const child = spawn(process.execPath, [MAIN, '--single-user'], {
    env: {
      PATH: process.env['PATH'],
      BOWLINE_SERVER_ADDRESS: address,
      BOWLINE_TENANT_ID: TENANT,
      BOWLINE_PRIVATE_KEY: join(folder, `keys-${keys}`, 'agent.key'),
      BOWLINE_SINGLE_USER_PASSWORD: hash,
      BOWLINE_PREFERRED_HOSTNAME: 'box',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  agents.push(child)
  const agent: AgentProcess = { child, stderr: '', status: undefined }
  child.stderr?.on('data', (bytes: Buffer) => {
    agent.stderr += bytes.toString('utf8')
  })
  child.on('exit', (status) => {
    agent.status = status
  })
  return agent
}

async function firstLink(platform: FakePlatform) {
  await until(() => platform.links.length > 0)
  const [link] = platform.links
  if (!link) throw new Error('there is a link')
  return link
}

test('registers, links, checks the password and runs a command', async () => {
  platform = await startPlatform()
  const agent = startAgent(platform.address)
  const link = await firstLink(platform)
  expect(platform.registrations[0]).toMatchObject({ hostname: 'box', tenant_id: TENANT, sessions: [] })
  expect(platform.tokens).toEqual(['Bearer token-1'])

  const { stream, answers } = await offer(link, [
    { method: 'password', password: 'wrong' },
    { method: 'password', password: 'secret' },
  ])
  expect(answers).toEqual([{ type: 'denied', reason: 'credential' }, { type: 'accepted' }])
  const session = openSession(link, stream, { run: exec('echo $0; env; exit 3') })
  expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 3 })
  expect(session.text()).not.toMatch(/BOWLINE|secret/)
  expect(agent.stderr).not.toMatch(/secret|token-1/)
})

test('creates a private key file once', async () => {
  platform = await startPlatform()
  const keyFile = join(folder, 'fixed', 'agent.key')
  const first = startAgent(platform.address, { BOWLINE_PRIVATE_KEY: keyFile })
  await firstLink(platform)
  first.child.kill('SIGKILL')
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'fixed')).mode & 0o777).toBe(0o700)
  startAgent(platform.address, { BOWLINE_PRIVATE_KEY: keyFile })
  await until(() => platform?.registrations.length === 2)
  const keysShown = platform.registrations.map((registration) => registration.public_key)
  expect(keysShown[0]).toBe(keysShown[1])
  expect(readFileSync(keyFile, 'utf8')).toContain('BEGIN PRIVATE KEY')
})

test('trusts a pinned server without an authority, and no other key', async () => {
  const certificate = selfSignedCertificate()
  platform = await startPlatform(certificate)
  const pin = (der: Uint8Array) => `sha256//${createHash('sha256').update(der).digest('base64')}`
  const stranger = startAgent(platform.address, { BOWLINE_SERVER_PIN: pin(Buffer.from('another key')) })
  await until(() => stranger.stderr.includes('registration.failed'))
  expect(stranger.stderr).toContain("the server's key is not the pinned one")
  expect(platform.registrations).toEqual([])
  startAgent(platform.address, { BOWLINE_SERVER_PIN: pin(certificate.publicKeyDer) })
  await firstLink(platform)
})

test('registers again to replace an invalid token', async () => {
  platform = await startPlatform()
  platform.refuseLinks = 401
  startAgent(platform.address)
  await until(() => platform?.tokens.length === 1)
  platform.refuseLinks = undefined
  await firstLink(platform)
  expect(platform.tokens).toEqual(['Bearer token-1', 'Bearer token-2'])
})

test('reconnects when the link ends', async () => {
  platform = await startPlatform()
  startAgent(platform.address)
  const link = await firstLink(platform)
  link.close({ by: 'gateway', reason: 'stopped', message: 'a restart' })
  await until(() => platform?.links.length === 2)
  expect(platform.registrations.length).toBe(1)
})

test('reports an unknown namespace with the name of the setting', async () => {
  platform = await startPlatform()
  platform.refuseRegistration = 404
  const agent = startAgent(platform.address)
  await until(() => agent.stderr.includes('registration.failed'))
  expect(agent.stderr).toContain('BOWLINE_TENANT_ID')
  platform.refuseRegistration = undefined
  await firstLink(platform)
})

test('ends with its sessions on SIGTERM', async () => {
  platform = await startPlatform()
  const agent = startAgent(platform.address)
  const link = await firstLink(platform)
  const { stream } = await offer(link, [{ method: 'password', password: 'secret' }])
  const session = openSession(link, stream, {
    // As under sshd a process without a terminal outlives its session: this one not for long.
    run: exec('echo ready; exec sleep 20'),
  })
  await until(() => session.text().includes('ready'))
  agent.child.kill('SIGTERM')
  expect(await session.whenClosed()).toMatchObject({ by: 'agent', reason: 'stopped' })
  await until(() => agent.status !== undefined)
  expect(agent.status).toBe(0)
})

test('reports all conflicting settings before anything starts', async () => {
  const agent = startAgent('http://example.com', { BOWLINE_SERVER_PIM: 'x' })
  await until(() => agent.status !== undefined)
  expect(agent.status).toBe(2)
  expect(agent.stderr).toContain('BOWLINE_SERVER_PIM is not a setting; the nearest one is BOWLINE_SERVER_PIN.')
  const insecure = startAgent('http://example.com')
  await until(() => insecure.status !== undefined)
  expect(insecure.stderr).toMatch(/^BOWLINE_SERVER_ADDRESS must be https/)
})

test.each(['--help', 'install --help'])('prints its usage on request: %s', (line) => {
  const { status, stdout } = spawnSync(process.execPath, [MAIN, ...line.split(' ')], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^usage: bowline agent /)])
})
