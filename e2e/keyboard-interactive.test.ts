// Keyboard-interactive prompts of a device, answered with this machine's ssh: the agent's own, and those of the PAM
// modules that its administrator configured.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canMakeDevices, type Device, makeDevice, readEtc } from './support/device.ts'
import { answerQuestions } from './support/questions.ts'
import { type Server, startServer } from './support/server.ts'
import { guess, type SshTarget, ssh, startEcho, startSsh } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

const hasOathModule =
  spawnSync('oathtool', ['--version']).status === 0 && spawnSync('dpkg', ['-L', 'libpam-oath']).status === 0
const skips = !canMakeDevices && process.env['CI'] !== 'true'
let server: Server
let device: Device
let many: Device
let plain: SshTarget
let pam: SshTarget
let tests = 0

beforeEach((context) => {
  context.skip(skips, 'needs root, for a device with accounts of its own')
  tests += 1
  // Wrong passwords of one test must not lock out the next.
  const source = `127.0.1.${tests}`
  plain = { ...plain, source }
  pam = { ...pam, source }
})
beforeAll(async () => {
  if (skips) return
  server = await startServer()
  device = makeDevice()
  many = makeDevice({ accounts: 20 })
  const gate = join(device.folder, 'gate')
  // The first caller that finds the trap folder removes it, and hangs until its parent process exits.
  writeFileSync(
    gate,
    `#!/bin/sh\nrmdir '${device.folder}/trap' 2>/dev/null || exit 0\nwhile [ -d /proc/$PPID ]; do sleep 0.1; done\n`,
  )
  chmodSync(gate, 0o755)
  const note = join(device.folder, 'note')
  writeFileSync(note, `#!/bin/sh\necho "$PAM_TYPE $PAM_USER $PAM_RHOST" >>'${sessionLog()}'\n`)
  chmodSync(note, 0o755)
  writeFileSync(join(device.etc, 'security/of-test.conf'), 'FROM_PAM DEFAULT="set by PAM"\nLD_BIND_NOW DEFAULT=1\n')
  for (const name of ['bowline', 'sshd']) {
    writeFileSync(
      join(device.etc, 'pam.d', name),
      `auth required pam_exec.so quiet ${gate}
auth required pam_unix.so nodelay
account required pam_unix.so
password required pam_unix.so sha512
session required pam_exec.so quiet ${note}
session required pam_env.so conffile=/etc/security/of-test.conf
`,
    )
  }
  plain = await device.startAgent(server, 'plain', { BOWLINE_PAM: 'off' })
  pam = await device.startAgent(server, 'modules', { BOWLINE_PAM: 'on' })
})
afterAll(async () => {
  if (skips) return
  await device.remove()
  await many.remove()
  await server.remove()
})
showOnFailure(() => ({ server: server?.process, ...device?.programs }))

/** One line for each session that the device's modules open or close. */
const sessionLog = (): string => join(device.folder, 'sessions')
const right = { 'Password: ': 'right horse' }

/** Changes fields of walter's shadow(5) row: 2 is the day of the last change, 7 the expiry date. */
function setShadow(fields: Readonly<Record<number, string>>): void {
  const rows = readEtc(device, 'shadow').split('\n')
  const changed = rows.map((row) => {
    if (!row.startsWith('walter:')) return row
    return row
      .split(':')
      .map((value, index) => fields[index] ?? value)
      .join(':')
  })
  writeFileSync(join(device.etc, 'shadow'), changed.join('\n'))
}

describe.each(['without PAM', 'with PAM'])('a device %s', (name) => {
  const target = () => (name === 'with PAM' ? pam : plain)

  it('asks for the password once', async () => {
    const { stdout, asked } = await answerQuestions(target(), right, 'id -un')
    expect([stdout.toString(), asked]).toEqual(['walter\n', ['Password: ']])
  })

  it('accepts the password by the other method too', async () => {
    const { stdout } = await ssh(target(), ['id -un'])
    expect(stdout.toString()).toBe('walter\n')
  })

  it('counts wrong answers of both methods together, six in all', async () => {
    const both = [
      '-o',
      'PreferredAuthentications=keyboard-interactive,password',
      '-o',
      'KbdInteractiveAuthentication=yes',
    ]
    const { code, stderr } = await guess(target(), 4, both)
    expect(code).toBe(255)
    expect(stderr).toContain('Too many authentication failures')
  })

  it.each([
    ['an account that has ended', { 7: '1' }, { 7: '' }],
    ['a locked password', { 1: '!' }, undefined],
  ])('refuses %s', async (_, lock, unlock) => {
    const hash = /^walter:([^:]*):/m.exec(readEtc(device, 'shadow'))?.[1] ?? ''
    setShadow(lock)
    const attempts = [await answerQuestions(target(), right, 'true'), await ssh(target(), ['true'])]
    setShadow(unlock ?? { 1: hash })
    for (const { code, stderr } of attempts) {
      expect(code).not.toBe(0)
      // PAM also gives the reason, once the credential was correct.
      expect(stderr).toMatch(/Permission denied|Your account has expired/)
    }
    expect((await answerQuestions(target(), right, 'true')).code).toBe(0)
  })
})

it('signs in 20 accounts of a device at once', async () => {
  const names = many.accounts.map(({ name }) => name)
  const target = await many.startAgent(server, 'many', { BOWLINE_PAM: 'on' })
  const logins = names.map((name) => {
    const login = target.login.replace(many.account.name, name)
    return answerQuestions({ ...target, login, source: pam.source ?? '' }, right, 'id -un')
  })
  const results = await Promise.all(logins)
  expect(results.map(({ stdout }) => stdout.toString().trim())).toEqual(names)
})

describe('the session of the device', () => {
  it('opens a PAM session for the length of any login and applies its environment, as sshd does', async () => {
    await until('earlier sessions are closed', () => pamProcesses() === 0)
    writeFileSync(sessionLog(), '')
    const lines = () => readFileSync(sessionLog(), 'utf8').split('\n').slice(0, -1)
    const opened = `open_session walter ${pam.source}`
    const session = await startEcho(pam)
    expect(lines()).toEqual([opened])
    await session.echo('still there')
    expect(lines()).toEqual([opened])
    session.end()
    expect((await session.result).code).toBe(0)
    await until('the session is closed', () => lines().length === 2)
    expect(lines()).toEqual([opened, `close_session walter ${pam.source}`])

    const sshd = await device.startSshd(['UsePAM yes'])
    const command = "env | grep -vE '^(SSH_|_=|MAIL=|LANG=|PATH=|LD_)' | sort"
    const [ours, theirs] = await Promise.all([answerQuestions(pam, right, command), ssh(sshd, [command])])
    expect(ours.stdout.toString()).toContain('FROM_PAM=set by PAM\n')
    expect(ours.stdout.toString()).toBe(theirs.stdout.toString())
    // The SFTP process too: its program starts with the agent's privileges and inherits nothing of its environment.
    expect((await ssh(pam, ['echo "$LD_BIND_NOW"'])).stdout.toString()).toBe('\n')
  })

  it('refuses a login whose PAM session cannot be opened', async () => {
    const file = join(device.etc, 'pam.d/bowline')
    const rules = readFileSync(file, 'utf8')
    writeFileSync(file, `${rules}session required pam_deny.so\n`)
    const refused = await answerQuestions(pam, right, 'true')
    writeFileSync(file, rules)
    expect(refused.stderr).toContain('Permission denied')
    expect((await answerQuestions(pam, right, 'true')).code).toBe(0)
  })
})

describe('before a right answer', () => {
  it('asks the same question for a device that does not exist', async () => {
    const nobody = { ...plain, login: plain.login.replace('plain', 'nobody') }
    const { asked, stderr, code } = await answerQuestions(nobody, right, 'true')
    expect([asked, code]).toEqual([['Password: '], 255])
    expect(stderr).toContain('the device cannot be reached')
  })
})

describe('the modules of the device', () => {
  it('gives the reason why an account is refused only after the correct password', async () => {
    setShadow({ 7: '1' })
    const [knows, guesses] = [
      await answerQuestions(pam, right, 'true'),
      await answerQuestions(pam, { 'Password: ': 'no horse' }, 'true'),
    ]
    setShadow({ 7: '' })
    expect(knows.stderr).toContain('Your account has expired; please contact your system administrator.')
    expect(guesses.stderr).not.toContain('expired')
    for (const { stderr } of [knows, guesses]) expect(stderr).toContain('Permission denied')
  })

  it.skipIf(!hasOathModule)('ask for a one-time code, which counts once (needs libpam-oath and oathtool)', async () => {
    const file = join(device.etc, 'pam.d/bowline')
    const rules = readFileSync(file, 'utf8')
    const secret = '3132333435363738393031323334353637383930'
    writeFileSync(join(device.etc, 'users.oath'), `HOTP/T30 walter - ${secret}\n`, { mode: 0o600 })
    const oath = 'auth required pam_oath.so usersfile=/etc/users.oath digits=6\n'
    writeFileSync(file, rules.replace('account required', `${oath}account required`))
    const question = "One-time password (OATH) for `walter': "
    const code = execFileSync('oathtool', ['--totp', secret], { encoding: 'utf8' }).trim()
    const attempt = (answer: string) => answerQuestions(pam, { ...right, [question]: answer }, 'echo in')
    const [wrong, first, again] = [await attempt('000000'), await attempt(code), await attempt(code)]
    const password = await ssh(pam, ['true'])
    writeFileSync(file, rules)
    expect(first.asked).toEqual(['Password: ', question])
    expect([wrong, first, again].map(({ stdout }) => stdout.toString())).toEqual(['', 'in\n', ''])
    // A password alone is not enough where the device requires a code as well.
    expect(password.code).not.toBe(0)
  })

  it('changes an expired password in as many rounds as the modules want', async () => {
    setShadow({ 2: '0' })
    expect((await ssh(pam, ['true'])).code).not.toBe(0)
    const answers = {
      ...right,
      'Current password: ': 'right horse',
      'New password: ': 'Wrong-h0rse-77',
      'Retype new password: ': 'Wrong-h0rse-77',
    }
    const { asked, stdout } = await answerQuestions(pam, answers, 'echo in')
    expect(asked).toEqual(['Password: ', 'Current password: ', 'New password: ', 'Retype new password: '])
    expect(stdout.toString()).toBe('in\n')
    expect((await ssh({ ...pam, password: 'Wrong-h0rse-77' }, ['true'])).code).toBe(0)
    expect((await ssh(pam, ['true'])).code).not.toBe(0)
  })

  it('lets others in while a module hangs, and ends the hanging process with its connection', async () => {
    await until('earlier sessions are closed', () => pamProcesses() === 0)
    mkdirSync(join(device.folder, 'trap'))
    const hanging = startSsh(pam, ['true'])
    await until('the trap has closed', () => !existsSync(join(device.folder, 'trap')))
    expect(pamProcesses()).toBe(1)
    expect((await ssh({ ...pam, password: 'Wrong-h0rse-77' }, ['echo in'])).stdout.toString()).toBe('in\n')
    expect((await ssh({ ...plain, password: 'Wrong-h0rse-77' }, ['echo in'])).stdout.toString()).toBe('in\n')
    hanging.kill('SIGTERM')
    await until('its process has ended', () => pamProcesses() === 0)
  })
})

/** Processes of the agent that run PAM: one for each login and each attempt. */
function pamProcesses(): number {
  const lines = childrenOf(device.programs['modules']?.pid ?? 0)
  return lines.filter((line) => line.includes('login/pam-main.ts')).length
}

/** Command lines of a process's children. */
function childrenOf(pid: number): string[] {
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return ''
    }
  }
  const threads = readdirSync(`/proc/${pid}/task`)
  const pids = threads.flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).trim().split(' '))
  return pids.filter((child) => child !== '').map((child) => read(`/proc/${child}/cmdline`))
}
