// Expectations match the behaviour of sshd 9.2.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RecordedStream } from '@bowline/link/testing/pair'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemAccount } from '../../login/account.ts'
import { openFiles } from '../../sftp/testing.ts'
import { until } from '@bowline/testkit/until'
import {
  type AgentUnderTest,
  exec,
  exitOfSession,
  fakeAuthority,
  logIn,
  openSession,
  run,
  startAgent,
  TERMINAL,
} from '../../testing.ts'
import { makeUser, needsRoot, type TemporaryUser } from '../../testing-users.ts'

needsRoot()

let user: TemporaryUser
let agent: AgentUnderTest
let folder: string
let systemRc: string

const agentWith = async (options: { permitUserRc?: boolean } = {}): Promise<AgentUnderTest> => {
  const account = await systemAccount(user.name)
  if (!account) throw new Error('the user has just been made')
  return startAgent({ authority: fakeAuthority(account), systemRc, ...options })
}

beforeAll(() => {
  if (process.getuid?.() === 0) user = makeUser('*')
})
afterAll(() => user?.remove())
beforeEach(async () => {
  if (process.getuid?.() !== 0) return
  folder = mkdtempSync('/tmp/bowline-rc-')
  chmodSync(folder, 0o777)
  systemRc = join(folder, 'sshrc')
  mkdirSync(join(user.home, '.ssh'), { recursive: true })
  agent = await agentWith()
})
afterEach(() => {
  if (!folder) return
  rmSync(folder, { recursive: true })
  rmSync(join(user.home, '.ssh'), { recursive: true, force: true })
})

function writeUserRc(text: string): void {
  writeFileSync(join(user.home, '.ssh/rc'), text, { mode: 0o600 })
  chownSync(join(user.home, '.ssh/rc'), user.uid, user.uid)
}

describe("the person's own file", () => {
  test('runs before a command, as the user, in their home, with the environment of the session', async () => {
    writeUserRc('echo "$(id -un) $PWD $SSH_CLIENT"; env | grep -c ^BOWLINE; echo warned >&2')
    const { stdout, stderr, exit } = await run(agent.gateway, 'echo then; env | grep -c ^BOWLINE; exit 4')
    expect(stdout).toBe(`${user.name} ${user.home} 203.0.113.5 50022 22\n0\nthen\n0\n`)
    expect(stderr).toBe('warned\n')
    expect(exit).toEqual({ type: 'exit', status: 4 })
  })

  test('leaves the input to the command, and reads nothing itself', async () => {
    writeUserRc('echo "<$(cat)>"')
    expect((await run(agent.gateway, 'cat', {}, 'typed')).stdout).toBe('<>\ntyped')
  })

  test('does not keep the command from running when it fails', async () => {
    writeUserRc('exit 3')
    expect((await run(agent.gateway, 'echo then')).exit).toEqual({ type: 'exit', status: 0 })
  })

  test('changes neither the name nor the depth of the shell that runs the command', async () => {
    const command = 'echo $0 $SHLVL; printf %s "\\$1"'
    const without = await run(agent.gateway, command)
    writeUserRc('')
    expect((await run(agent.gateway, command)).stdout).toBe(without.stdout)
  })

  test('runs the user’s file with the shell of the account, which may refuse it', async () => {
    writeUserRc('echo own')
    user.change('usermod', '--shell', '/bin/echo')
    const { gateway } = await agentWith()
    user.change('usermod', '--shell', '/bin/bash')
    expect((await run(gateway, 'then')).stdout).toBe(`-c /bin/sh ${user.home}/.ssh/rc\n-c then\n`)
  })

  test('runs before a login shell, which stays one, with its terminal', async () => {
    writeUserRc('echo "rc on $SSH_TTY"')
    const session = openSession(agent.gateway, await logIn(agent.gateway), { pty: TERMINAL })
    session.stream.write(Buffer.from('echo "<$0>"; shopt login_shell; tty; exit 3\n'))
    expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 3 })
    const terminal = /rc on (\/dev\/pts\/\d+)/.exec(session.text(0))?.[1]
    expect(session.text(0)).toContain('<-bash>')
    expect(session.text(0)).toMatch(/login_shell\s+on/)
    expect(session.text(0)).toContain(`\r\n${terminal}\r\n`)
  })

  test('reads the X11 cookie', async () => {
    writeUserRc('echo "<$(cat)>"')
    const login = await logIn(agent.gateway)
    const cookie = 'ab'.repeat(16)
    const at = { type: 'x11', single: false, protocol: 'MIT-MAGIC-COOKIE-1', cookie, screen: 0 }
    const listener = RecordedStream.open(agent.gateway, 'listen', { login: login.stream?.id, at })
    await until(() => listener.messages.length > 0 || listener.cause !== undefined)
    const request = { run: exec('echo then'), x11: listener.stream?.id ?? 0 }
    const session = openSession(agent.gateway, login, request)
    await exitOfSession(session)
    expect(session.text(0)).toBe(`<MIT-MAGIC-COOKIE-1 ${cookie}>\nthen\n`)
  })

  test('replaces the system’s file', async () => {
    writeFileSync(systemRc, 'echo system')
    writeUserRc('echo own')
    expect((await run(agent.gateway, 'echo then')).stdout).toBe('own\nthen\n')
  })

  test('runs the system’s file where the user’s is disabled', async () => {
    writeFileSync(systemRc, 'echo system')
    writeUserRc('echo own')
    const strict = await agentWith({ permitUserRc: false })
    expect((await run(strict.gateway, 'echo then')).stdout).toBe('system\nthen\n')
  })
})

describe('the system’s file', () => {
  test('runs before a command, as the user', async () => {
    writeFileSync(systemRc, 'echo "$(id -un) $0"')
    expect((await run(agent.gateway, 'echo then')).stdout).toBe(`${user.name} ${systemRc}\nthen\n`)
  })

  test('runs before file transfer, and the user’s own does not', async () => {
    writeUserRc(`echo own >${folder}/result`)
    writeFileSync(systemRc, `echo "$(id -un) $PWD <$(cat)>" >${folder}/system`)
    const { client } = await openFiles(agent.gateway)
    expect(await client.start()).toMatchObject({ type: 'version' })
    expect(readFileSync(join(folder, 'system'), 'utf8')).toBe(`${user.name} ${user.home} <>\n`)
    expect(readdirSync(folder).toSorted()).toEqual(['sshrc', 'system'])
  })
})
