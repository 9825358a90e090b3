import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RecordedStream } from '@bowline/link/testing/pair'
import { until } from '@bowline/testkit/until'
import {
  alive,
  exec,
  exitOfSession,
  offer,
  openSession,
  startAgent,
  TERMINAL,
  type AgentUnderTest,
} from '../testing.ts'
import { makeUser, needsRoot, type TemporaryUser } from '../testing-users.ts'
import { pamAuthority } from './pam-authority.ts'
import type { Verdict } from './verdict.ts'

needsRoot()

const PASSWORD = 'right horse'
/** Output of `openssl passwd -6`. */
const HASH = '$6$bowlinetest$jotXjKG.atHQ1PhxDZewjhjVn1dSVl1NwLz8/T5Lco7kOW8EfAG9QSaAV4H3mpmGWMo6B8t8i/iotmbdwUosm0'
const service = `bowline-test-${process.pid}`
let user: TemporaryUser
let folder: string
let agent: AgentUnderTest
const inside = (name: string): string => join(folder, name)

/** Writes the rules of the service, plus those of a test. */
function setRules(...more: readonly string[]): void {
  const rules = [
    'auth required pam_unix.so',
    `account required pam_nologin.so file=${inside('nologin')}`,
    'account required pam_unix.so',
    'session required pam_unix.so',
    `session required pam_limits.so conf=${inside('limits')}`,
    `session required pam_env.so conffile=${inside('env')} envfile=${inside('environment')}`,
    'session required pam_umask.so umask=0027',
    ...more,
  ]
  writeFileSync(`/etc/pam.d/${service}`, `${rules.join('\n')}\n`)
}

beforeAll(() => {
  if (process.getuid?.() !== 0) return
  folder = mkdtempSync(join(tmpdir(), 'bowline-pam-'))
  // Some modules read their files with the user's permissions.
  chmodSync(folder, 0o755)
  user = makeUser(HASH)
  const limits = ['soft nofile 321', 'hard nofile 654', 'soft nproc 5000', 'hard nproc 6000', 'soft as 3000000']
  writeFileSync(inside('limits'), limits.map((limit) => `${user.name} ${limit}\n`).join(''))
  writeFileSync(inside('env'), 'FROM_PAM DEFAULT="set by PAM"\n')
  writeFileSync(inside('environment'), 'LANG=de_AT.UTF-8\n')
  setRules()
  agent = startAgent({ authority: pamAuthority({ service, strict: true }) })
})
afterAll(() => {
  user?.remove()
  rmSync(folder, { recursive: true, force: true })
  rmSync(`/etc/pam.d/${service}`, { force: true })
})

async function logIn(password = PASSWORD, from = agent): Promise<RecordedStream> {
  const { stream, answers } = await offer(from.gateway, [{ method: 'password', password }], user.name)
  expect(answers).toEqual([{ type: 'accepted' }])
  return stream
}

describe('a user’s process in a PAM session', () => {
  test.each([['with a terminal', { pty: TERMINAL }] as const, ['without one', {}] as const])(
    'has the limits, the umask and the environment of the modules (%s)',
    async (_, request) => {
      const login = await logIn()
      const command = 'ulimit -Sn; ulimit -Hn; ulimit -Su; ulimit -Hu; ulimit -v; umask; echo $FROM_PAM $LANG'
      const session = openSession(agent.gateway, login, { run: exec(command), ...request })
      expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 0 })
      const lines = session.text().trim().split(/\r?\n/)
      expect(lines).toEqual(['321', '654', '5000', '6000', '3000000', '0027', 'set by PAM de_AT.UTF-8'])
      login.stream?.close()
    },
  )

  test('runs as the user, in their home, with their input and both outputs', async () => {
    const login = await logIn()
    const session = openSession(agent.gateway, login, { run: exec('id -un; pwd; cat; echo err >&2; kill -TERM $$') })
    session.stream.write(Buffer.from('input\n'))
    session.stream.eof()
    expect(await exitOfSession(session)).toMatchObject({ type: 'exit-signal', signal: 'TERM' })
    expect([session.text(), session.text(1)]).toEqual([`${user.name}\n${user.home}\ninput\n`, 'err\n'])
    login.stream?.close()
  })

  test('runs as a child of the process that holds the session, which ends with the login', async () => {
    const login = await logIn()
    const session = openSession(agent.gateway, login, { run: exec('echo $PPID; cat; read wait') })
    await until(() => session.text().endsWith('\n'))
    const holder = Number(session.text())
    expect(alive(holder)).toBe(true)
    session.stream.close({ by: 'user', reason: 'channel-closed', message: '' })
    login.stream?.close()
    await until(() => !alive(holder))
  })

  test('receives signals and is ended by an administrator', async () => {
    const login = await logIn()
    const command = 'trap "echo got" USR1; echo ready; while :; do sleep 0.01; done'
    const session = openSession(agent.gateway, login, { run: exec(command) })
    session.stream.control({ type: 'signal', name: 'CONT' })
    await until(() => session.text() === 'ready\n')
    session.stream.control({ type: 'signal', name: 'USR1' })
    await until(() => session.text() === 'ready\ngot\n')
    const ends = () => agent.log.filter(({ ev }) => ev === 'session.ended').length
    const before = ends()
    session.stream.close({ by: 'admin', reason: 'terminated', message: '' })
    await until(() => ends() === before + 1)
    login.stream?.close()
    expect(agent.errors).toEqual([])
  })

  test('ends when the process that holds the session fails', async () => {
    const login = await logIn()
    const session = openSession(agent.gateway, login, { run: exec('echo $PPID; exec cat') })
    await until(() => session.text().endsWith('\n'))
    process.kill(Number(session.text()), 'SIGKILL')
    session.stream.eof()
    expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 255 })
    const late = openSession(agent.gateway, login, { run: exec('true') })
    expect(await late.whenClosed()).toMatchObject({ by: 'agent', reason: 'refused' })
    login.stream?.close()
  })
})

describe('a login that modules account for', () => {
  // The kernel keeps the id of the account that signed in, whatever a process becomes later, where it has auditing.
  const LOGIN_ID = '/proc/self/loginuid'

  test('has the login id of its account (pam_loginuid)', async () => {
    setRules('session required pam_loginuid.so')
    const login = await logIn()
    const session = openSession(agent.gateway, login, { run: exec(`cat ${LOGIN_ID} || true`) })
    await exitOfSession(session)
    setRules()
    expect(session.text()).toBe(existsSync(LOGIN_ID) ? String(user.uid) : '')
    login.stream?.close()
  })
})

describe('a PAM session that cannot be opened', () => {
  test('refuses the login where PAM is required, and accepts it without a session where PAM is optional', async () => {
    setRules('session required pam_deny.so')
    const password = { method: 'password', password: PASSWORD }
    const strict = await offer(agent.gateway, [password], user.name)
    expect(strict.answers).toEqual([{ type: 'denied', reason: 'unsupported' }])
    const lenient = startAgent({ authority: pamAuthority({ service, strict: false }) })
    const login = await logIn(PASSWORD, lenient)
    const session = openSession(lenient.gateway, login, { run: exec('id -un') })
    await exitOfSession(session)
    expect(session.text()).toBe(`${user.name}\n`)
    expect(lenient.log.map(({ ev }) => ev)).toContain('login.without-pam-session')
    login.stream?.close()
    setRules()
  })
})

describe('messages of modules at login', () => {
  const shell = async (login: RecordedStream, request: object = { pty: TERMINAL }) => {
    const session = openSession(agent.gateway, login, request)
    session.stream.write(Buffer.from('PS1=; exit\n'))
    await session.whenClosed()
    return { text: session.text(), started: session.messages[0] }
  }

  test('shows module messages in the first shell with a terminal only', async () => {
    writeFileSync(inside('motd'), 'Water the plants.\nBye.\n')
    setRules(`session optional pam_motd.so motd=${inside('motd')} noupdate`)
    const login = await logIn()
    expect((await shell(login, { pty: TERMINAL, run: exec('true') })).text).not.toContain('plants')
    expect((await shell(login, {})).text).not.toContain('plants')
    expect((await shell(login)).text).toMatch(/^Water the plants\.\r\nBye\.\r\n/)
    expect((await shell(login)).text).not.toContain('plants')
    login.stream?.close()
  })

  test('hides module messages from a user with .hushlogin', async () => {
    writeFileSync(join(user.home, '.hushlogin'), '')
    const login = await logIn()
    const { text, started } = await shell(login)
    rmSync(join(user.home, '.hushlogin'))
    expect(text).not.toContain('plants')
    expect(started).toEqual({ type: 'started', quiet: true })
    login.stream?.close()
    setRules()
  })
})

describe('an account that PAM refuses', () => {
  test('refuses a wrong password without the delay that modules request', async () => {
    setRules('auth optional pam_faildelay.so delay=120000000')
    const { answers } = await offer(agent.gateway, [{ method: 'password', password: 'wrong horse' }], user.name)
    setRules()
    expect(answers).toEqual([{ type: 'denied', reason: 'credential' }])
  })

  test('tells a refused account the reason once the password was correct', async () => {
    writeFileSync(inside('nologin'), 'The garden is closed.\n')
    const password = (text: string) => ({ method: 'password', password: text })
    const { answers } = await offer(agent.gateway, [password('wrong'), password(PASSWORD)], user.name)
    rmSync(inside('nologin'))
    expect(answers).toEqual([
      { type: 'denied', reason: 'credential' },
      { type: 'denied', reason: 'credential', message: 'The garden is closed.' },
    ])
  })
})

describe('a password that must be changed at the next login', () => {
  test('keeps keys out too, as PAM alone can change it', async () => {
    const authority = pamAuthority({ service, strict: true })
    const somebody = { remote: '127.0.0.1', disconnected: new AbortController().signal }
    user.change('chage', '--lastday', '0')
    const verdict = await authority.platform(user.name, somebody)
    user.change('chage', '--lastday', '-1')
    expect(verdict).toMatchObject({ denied: 'expired' })
    const later = await authority.platform(user.name, somebody)
    expect(later).not.toHaveProperty('denied')
    if ('session' in later) later.session?.close()
  })
})

describe('concurrent logins', () => {
  const somebody = { remote: '127.0.0.1', disconnected: new AbortController().signal }
  const close = (verdict: Verdict): void => void ('session' in verdict && verdict.session?.close())

  test('accepts 45 concurrent logins with keys', { timeout: 120_000 }, async () => {
    const authority = pamAuthority({ service, strict: true })
    const verdicts = await Promise.all(Array.from({ length: 45 }, () => authority.platform(user.name, somebody)))
    verdicts.forEach(close)
    expect(verdicts.filter((verdict) => 'denied' in verdict)).toEqual([])
  })

  test('accepts a key and a password while others wait at their prompts', { timeout: 60_000 }, async () => {
    const authority = pamAuthority({ service, strict: true })
    const disconnected = new AbortController()
    let atPrompt = 0
    const ask = (): Promise<never> => {
      atPrompt += 1
      return new Promise((_, reject) => disconnected.signal.addEventListener('abort', () => reject(new Error('gone'))))
    }
    const sitting = Array.from({ length: 40 }, () =>
      authority.interactive(user.name, { remote: '127.0.0.1', disconnected: disconnected.signal, ask }),
    )
    await until(() => atPrompt === 8)
    const verdicts = await Promise.all([
      authority.platform(user.name, somebody),
      authority.password(user.name, PASSWORD, somebody),
    ])
    disconnected.abort()
    await Promise.all(sitting)
    verdicts.forEach(close)
    expect(verdicts.filter((verdict) => 'denied' in verdict)).toEqual([])
  })
})
