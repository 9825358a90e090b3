// The second factor on the ssh path with real clients: OpenSSH in scripts and by hand, sftp, and PuTTY.
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codeAt } from '../../apps/server/src/mfa/testing.ts'
import { installed, puttyOptions, sshOptions } from '../support/file-clients.ts'
import type { Client } from '../support/server.ts'
import { type SshResult, finish } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Guarded, startGuarded } from './guarded.ts'

const AT_ONCE = 20
let guarded: Guarded
let client: Client
let keyFile: string
beforeAll(async () => {
  guarded = await startGuarded()
  client = guarded.client
})
afterAll(() => guarded?.remove())
beforeEach(async () => {
  keyFile = await guarded.newKey()
})
afterEach(async () => {
  for (const { code } of await waiting()) await client.call(operations.heldLogins.deny, { params: { code } })
})

const place = () => ({ ...guarded.agent.target, keyFile })
const waiting = () => guarded.waiting()

/** Approves the only login that waits. @returns its code */
async function approve(): Promise<string> {
  const code = await until('a login waits', async () => (await waiting())[0]?.code)
  expect(await waiting()).toHaveLength(1)
  await client.call(operations.heldLogins.approve, { params: { code } })
  return code
}

function ssh(command: string, options: readonly string[] = []): Promise<SshResult> {
  const { login, host } = guarded.agent.target
  const args = [...options, ...sshOptions(place(), 'p'), `${login}@${host}`, command]
  const child = spawn('ssh', args, { env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' } })
  child.stdin.end()
  return finish(child)
}

const SCRIPTED = ['-o', 'BatchMode=yes', '-o', 'KbdInteractiveAuthentication=no', '-o', 'LogLevel=INFO']

describe('OpenSSH in scripts', () => {
  it('asks once for twenty connections at once, and again for none', async () => {
    const all = Array.from({ length: AT_ONCE }, (_, i) => ssh(`echo ${i}`, SCRIPTED))
    const code = await approve()
    const results = await Promise.all(all)
    expect(results.map(({ stdout }) => stdout.toString())).toEqual(results.map((_, i) => `${i}\n`))
    // Those that came after the approval were not asked; all others were asked the same.
    const links = results.flatMap(({ stderr }) => /\/approve\/[A-Z-]+/.exec(stderr)?.[0] ?? [])
    expect([...new Set(links)]).toEqual([`/approve/${code}`])
    expect((await ssh('echo later', SCRIPTED)).stdout.toString()).toBe('later\n')
    expect(await waiting()).toEqual([])
  })

  it('ends with the reason when the login is denied', async () => {
    const result = ssh('true', SCRIPTED)
    const code = await until('a login waits', async () => (await waiting())[0]?.code)
    await client.call(operations.heldLogins.deny, { params: { code } })
    const { code: status, stderr } = await result
    expect([status, stderr]).toEqual([255, expect.stringContaining('the login was denied')])
  })
})

describe('file transfer', () => {
  it('waits with sftp too, and passes with the window of ssh', async () => {
    const { login, host } = guarded.agent.target
    const batch = () => {
      const child = spawn('sftp', ['-b', '-', ...sshOptions(place(), 'P'), `${login}@${host}`])
      child.stdin.end('pwd\n')
      return finish(child)
    }
    const first = batch()
    await approve()
    expect((await first).stdout.toString()).toContain('Remote working directory')
    expect((await ssh('echo in', SCRIPTED)).stdout.toString()).toBe('in\n')
    expect((await batch()).code).toBe(0)
  })
})

describe('PuTTY', () => {
  it('shows the link before it waits', async (context) => {
    context.skip(!installed.putty && process.env['CI'] !== 'true', 'plink is not installed')
    const child = spawn('plink', [...puttyOptions(place()), guarded.agent.target.host, 'echo in'])
    let shown = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (shown += text))
    child.stdin.end()
    const result = finish(child)
    const link = await until('the link is shown', () => /\/approve\/(\S+)/.exec(shown)?.[1])
    expect(await approve()).toBe(link)
    expect((await result).stdout.toString()).toContain('in')
  })
})

describe('a person with an authenticator', () => {
  it('types its code into ssh', async () => {
    const { secret, recovery_codes } = (await client.call(operations.mfa.generate, {})).body
    await client.call(operations.mfa.enable, { body: { code: codeAt(secret, Date.now()), secret, recovery_codes } })
    // A code works once: the next one is of the next half minute, which counts already.
    const next = codeAt(secret, Date.now() + 30_000)
    const { login, host } = guarded.agent.target
    const askpass = join(guarded.folder, 'askpass')
    execFileSync('sh', ['-c', `printf '#!/bin/sh\\necho ${next}\\n' > '${askpass}' && chmod +x '${askpass}'`])
    const args = ['--wait', 'ssh', ...sshOptions(place(), 'p'), `${login}@${host}`, 'echo in']
    const env = { PATH: process.env['PATH'] ?? '', SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' }
    const { stdout, stderr } = await finish(spawn('setsid', args, { env }))
    expect([stdout.toString(), stderr]).toEqual(['in\n', expect.anything()])
  })
})
