// The second step on ssh with the libraries of Python that programs use: paramiko and asyncssh.
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codeAt } from '../../apps/server/src/mfa/testing.ts'
import { PYTHON } from '../support/file-clients.ts'
import type { Client } from '../support/server.ts'
import { finish } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Guarded, startGuarded } from './guarded.ts'

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

const waiting = () => guarded.waiting()
const theCode = () => until('a login waits', async () => (await waiting())[0]?.code)

/** Starts a library's program, and shows what it has said so far. */
function start(script: string) {
  const { host, port, login } = guarded.agent.target
  const args = [join(import.meta.dirname, script), host, String(port), login, keyFile, 'echo in']
  const child = spawn(PYTHON, args, { env: { PATH: process.env['PATH'] ?? '', PYTHONUNBUFFERED: '1' } })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return { child, said: () => said, result: finish(child) }
}

function hasLibrary(name: string): boolean {
  try {
    execFileSync(PYTHON, ['-W', 'ignore', '-c', `import ${name}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.each([
  // It keeps the server's reason for its own log.
  ['paramiko', 'paramiko_client.py', 'AuthenticationException'],
  ['asyncssh', 'asyncssh_client.py', 'the login was denied'],
])('%s', (name, script, reason) => {
  beforeEach((context) => {
    context.skip(!hasLibrary(name) && process.env['CI'] !== 'true', `${name} is not installed`)
  })

  it('shows the link before it waits, and goes on when the login is approved', async () => {
    const { child, said, result } = start(script)
    child.stdin.end()
    const code = await theCode()
    await until('the link is shown', () => said().includes(`/approve/${code}`))
    await client.call(operations.heldLogins.approve, { params: { code } })
    expect([(await result).code, said().trimEnd().split('\n').at(-1)]).toEqual([0, 'in'])
    const again = start(script)
    again.child.stdin.end()
    expect([(await again.result).code, again.said().trim(), await waiting()]).toEqual([0, 'in', []])
  })

  it('ends when the login is denied', async () => {
    const { child, result, said } = start(script)
    child.stdin.end()
    await client.call(operations.heldLogins.deny, { params: { code: await theCode() } })
    const { code, stderr } = await result
    expect([code, said().includes('in\n')]).toEqual([1, false])
    expect(stderr).toContain(reason)
  })
})

describe.each([
  ['paramiko', 'paramiko_client.py'],
  ['asyncssh', 'asyncssh_client.py'],
])('%s, for a person with an authenticator', (name, script) => {
  let secret: string
  beforeEach(async (context) => {
    context.skip(!hasLibrary(name) && process.env['CI'] !== 'true', `${name} is not installed`)
    // A code of an account works once in its half minute: each test has another authenticator.
    const made = (await client.call(operations.mfa.generate, {})).body
    secret = made.secret
    const { recovery_codes } = made
    await client.call(operations.mfa.enable, {
      body: { code: codeAt(secret, Date.now()), secret, recovery_codes, name },
    })
  })

  it('asks for the code, and lets it in', async () => {
    const { child, said, result } = start(script)
    await until('the question is shown', () => said().includes('Code of your authenticator'))
    child.stdin.end(`${codeAt(secret, Date.now() + 30_000)}\n`)
    expect([(await result).code, said().trimEnd().endsWith('in')]).toEqual([0, true])
  })
})
