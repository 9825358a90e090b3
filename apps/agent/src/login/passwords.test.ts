import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNT } from '../testing.ts'
import { makeUser, needsRoot, type TemporaryUser } from '../testing-users.ts'
import { hashPassword } from '../hash-password.ts'
import { systemCrypt, type Crypt } from '../native/crypt.ts'
import { chkpwdCheck } from './chkpwd.ts'
import { singleUserAuthority, systemAuthority } from './passwords.ts'

const crypt = systemCrypt() ?? (() => Promise.reject(new Error('no libcrypt')))
const DAY_MS = 86_400_000

describe('single-user mode', () => {
  test.each([
    ['md5-crypt', '$1$abcdefgh$'],
    ['sha256-crypt', '$5$abcdefgh$'],
    ['sha512-crypt', '$6$abcdefgh$'],
    ['yescrypt', '$y$j9T$ZcEjOuTnBHcFpaS7xlCoL/$'],
  ])('accepts a %s hash', async (_name, setting) => {
    const hash = (await crypt('correct', setting)) ?? ''
    const authority = singleUserAuthority(ACCOUNT, hash, crypt)
    expect(await authority.password('anybody', 'correct')).toEqual({ account: ACCOUNT })
    expect(await authority.password('anybody', 'correct ')).toEqual({ denied: 'credential' })
    expect(await authority.password('anybody', '')).toEqual({ denied: 'credential' })
    expect(await authority.password('anybody', 'correct\0')).toEqual({ denied: 'credential' })
  })

  test('denies everything when the system does not support the hash’s method', async () => {
    const authority = singleUserAuthority(ACCOUNT, '$zz$nothing$', crypt)
    expect(await authority.password('anybody', '')).toEqual({ denied: 'credential' })
  })

  test('rejects checks while too many are pending, and accepts new ones afterwards', async () => {
    const busy = { denied: 'busy' }
    const waiting: (() => void)[] = []
    const slow: Crypt = () => new Promise((resolve) => waiting.push(() => resolve('$6$x')))
    const authority = singleUserAuthority(ACCOUNT, '$6$x', slow)
    const checks = Array.from({ length: 40 }, () => authority.password('anybody', 'p'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(waiting.length).toBe(4)
    expect(await Promise.all(checks.slice(36))).toEqual([busy, busy, busy, busy])
    for (let done = 0; done < 36; done += 1) {
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
      waiting.shift()?.()
    }
    expect((await Promise.all(checks.slice(0, 36))).every((verdict) => 'account' in verdict)).toBe(true)
  })
})

describe('the users of the system', () => {
  needsRoot()
  let user: TemporaryUser
  let authority = systemAuthority({ crypt }, Date.now)
  let computed = 0
  const counting: Crypt = (password, setting) => {
    computed += 1
    return crypt(password, setting)
  }

  beforeAll(async () => {
    if (process.getuid?.() !== 0) return
    user = makeUser(await hashPassword('correct'))
    authority = systemAuthority({ crypt: counting }, Date.now)
  })
  afterAll(() => user?.remove())

  test('logs a user in with their own password and all their groups', async () => {
    const verdict = await authority.password(user.name, 'correct')
    expect(verdict).toMatchObject({ account: { name: user.name, uid: user.uid, home: user.home, shell: '/bin/bash' } })
    if ('denied' in verdict) throw new Error(verdict.denied)
    expect(verdict.account.groups).toContain(user.group.id)
    expect(await authority.password(user.name, 'wrong')).toEqual({ denied: 'credential' })
    expect(await authority.password(user.name, '')).toEqual({ denied: 'credential' })
  })

  test('computes a hash for an unknown name like for any other', async () => {
    computed = 0
    expect(await authority.password('no-such-user', 'correct')).toEqual({ denied: 'unknown-user' })
    expect(computed).toBe(1)
    for (const odd of ['', '\0', `${user.name}\0`, '../etc/passwd', '-x']) {
      expect(await authority.password(odd, 'correct')).toEqual({ denied: 'unknown-user' })
    }
  })

  test('refuses a locked password even when it is correct', async () => {
    user.change('usermod', '--lock')
    computed = 0
    expect(await authority.password(user.name, 'correct')).toEqual({ denied: 'locked' })
    expect(computed).toBe(1)
    expect(await authority.platform(user.name)).toMatchObject({ account: { name: user.name } })
    user.change('usermod', '--unlock')
    expect(await authority.password(user.name, 'correct')).toMatchObject({ account: {} })
  })

  test('refuses an expired account for every kind of login', async () => {
    user.change('chage', '--expiredate', '2020-01-01')
    expect(await authority.password(user.name, 'correct')).toEqual({ denied: 'expired' })
    expect(await authority.password(user.name, 'wrong')).toEqual({ denied: 'credential' })
    expect(await authority.platform(user.name)).toEqual({ denied: 'expired' })
    user.change('chage', '--expiredate', '-1')
    expect(await authority.platform(user.name)).toMatchObject({ account: {} })
  })

  test('refuses an expired password for password logins only', async () => {
    user.change('chage', '--maxdays', '10')
    const later = systemAuthority({ crypt }, () => Date.now() + 12 * DAY_MS)
    expect(await authority.password(user.name, 'correct')).toMatchObject({ account: {} })
    expect(await later.password(user.name, 'correct')).toEqual({ denied: 'expired' })
    expect(await later.platform(user.name)).toMatchObject({ account: {} })
    user.change('chage', '--maxdays', '-1')
    user.change('chage', '--lastday', '0')
    expect(await authority.password(user.name, 'correct')).toEqual({ denied: 'expired' })
    user.change('chage', '--lastday', '-1')
    expect(await authority.password(user.name, 'correct')).toMatchObject({ account: {} })
  })

  test.each(['/no/such/shell', '/etc/passwd', '/tmp'])(
    'refuses a user whose shell is not executable (%s)',
    async (shell) => {
      user.change('usermod', '--shell', shell)
      expect(await authority.password(user.name, 'correct')).toEqual({ denied: 'locked' })
      expect(await authority.password(user.name, 'wrong')).toEqual({ denied: 'credential' })
      expect(await authority.platform(user.name)).toEqual({ denied: 'locked' })
      user.change('usermod', '--shell', '/bin/bash')
      expect(await authority.platform(user.name)).toMatchObject({ account: {} })
    },
  )

  test('refuses users with the reason while nologin(5) exists, except root', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bowline-nologin-'))
    const file = join(folder, 'nologin')
    const closed = systemAuthority({ crypt }, Date.now, [join(folder, 'none'), file])
    expect(await closed.platform(user.name)).toMatchObject({ account: {} })
    writeFileSync(file, 'Closed until spring.\n')
    const refusal = { denied: 'locked', told: 'Closed until spring.' }
    expect(await closed.password(user.name, 'correct')).toEqual(refusal)
    expect(await closed.password(user.name, 'wrong')).toEqual({ denied: 'credential' })
    expect(await closed.platform(user.name)).toEqual(refusal)
    expect(await closed.platform('root')).toMatchObject({ account: { uid: 0 } })
    rmSync(folder, { recursive: true })
  })

  test('never accepts a password for a user without one', async () => {
    const open = makeUser('')
    try {
      open.change('usermod', '--password', '')
      expect(await authority.password(open.name, '')).toEqual({ denied: 'no-password' })
      expect(await authority.password(open.name, 'x')).toEqual({ denied: 'no-password' })
    } finally {
      open.remove()
    }
  })

  test('checks passwords by unix_chkpwd without libcrypt', async () => {
    const other = chkpwdCheck()
    if (!other) throw new Error('unix_chkpwd is part of libpam-runtime; install it')
    const without = systemAuthority({ other }, Date.now)
    expect(await without.password(user.name, 'correct')).toMatchObject({ account: { uid: user.uid } })
    expect(await without.password(user.name, 'wrong')).toEqual({ denied: 'credential' })
    expect(await without.password(user.name, 'correct\0')).toEqual({ denied: 'credential' })
  })
})
