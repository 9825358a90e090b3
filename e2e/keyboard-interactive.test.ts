// Questions of a device, answered with the ssh of this machine: the agent's own, and those of the PAM modules that its
// administrator has set up.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canMakeDevices, type Device, makeDevice, readEtc } from './support/device.ts'
import { answerQuestions } from './support/questions.ts'
import { type Server, startServer } from './support/server.ts'
import { guess, type SshTarget, ssh, startSsh } from './support/ssh.ts'
import { showOnFailure } from './support/told.ts'
import { until } from './support/wait.ts'

const skips = !canMakeDevices && process.env['CI'] !== 'true'
let server: Server
let device: Device
let plain: SshTarget
let pam: SshTarget

beforeEach((context) => context.skip(skips, 'needs root, for a device with accounts of its own'))
beforeAll(async () => {
  if (skips) return
  server = await startServer()
  device = makeDevice()
  const gate = join(device.folder, 'gate')
  // Who comes while the folder is there takes it away, and waits as long as its own process lives.
  writeFileSync(
    gate,
    `#!/bin/sh\nrmdir '${device.folder}/trap' 2>/dev/null || exit 0\nwhile [ -d /proc/$PPID ]; do sleep 0.1; done\n`,
  )
  chmodSync(gate, 0o755)
  writeFileSync(
    join(device.etc, 'pam.d/bowline'),
    `auth required pam_exec.so quiet ${gate}
auth required pam_unix.so nodelay
account required pam_unix.so
password required pam_unix.so sha512
`,
  )
  plain = await device.startAgent(server, 'plain')
  pam = await device.startAgent(server, 'modules', { BOWLINE_PAM: 'on' })
})
afterAll(async () => {
  if (skips) return
  await device.remove()
  await server.remove()
})
showOnFailure(() => ({ server: server?.process, ...device?.programs }))

const right = { 'Password: ': 'right horse' }

/** Changes fields of walter's shadow(5) row: 2 is the day of the last change, 7 the day on which the account ends. */
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

  it('asks for the password, once', async () => {
    const { stdout, asked } = await answerQuestions(target(), right, 'id -un')
    expect([stdout.toString(), asked]).toEqual(['walter\n', ['Password: ']])
  })

  it('takes the password by the other method too', async () => {
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
      expect(stderr).toContain('Permission denied')
    }
    expect((await answerQuestions(target(), right, 'true')).code).toBe(0)
  })
})

describe('before a right answer', () => {
  it('a device that does not exist asks the same question', async () => {
    const nobody = { ...plain, login: plain.login.replace('plain', 'nobody') }
    const { asked, stderr, code } = await answerQuestions(nobody, right, 'true')
    expect([asked, code]).toEqual([['Password: '], 255])
    expect(stderr).toContain('the device cannot be reached')
  })
})

describe('the modules of the device', () => {
  it('have an expired password changed, in as many rounds as they want', async () => {
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

  it('may hang: others get in meanwhile, and what hangs ends with the person', async () => {
    mkdirSync(join(device.folder, 'trap'))
    const stuck = startSsh(pam, ['true'])
    await until('the trap has closed', () => !existsSync(join(device.folder, 'trap')))
    const agent = device.programs['modules']?.pid ?? 0
    const children = () => childrenOf(agent).filter((line) => line.includes('main.ts\0pam'))
    expect(children().length).toBe(1)
    expect((await ssh({ ...pam, password: 'Wrong-h0rse-77' }, ['echo in'])).stdout.toString()).toBe('in\n')
    expect((await ssh({ ...plain, password: 'Wrong-h0rse-77' }, ['echo in'])).stdout.toString()).toBe('in\n')
    stuck.kill('SIGTERM')
    await until('its process has ended', () => children().length === 0)
  })
})

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
