import { describe, expect, it } from 'vitest'
import { createPasswordHasher } from './passwords.ts'

describe('password hashes', () => {
  it('hashes with salted argon2id and verifies only the right password', async () => {
    const passwords = await createPasswordHasher()
    const [first, second] = await Promise.all([passwords.hash('secret'), passwords.hash('secret')])
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(first).not.toBe(second)
    expect(await passwords.verify(first, 'secret')).toBe(true)
    expect(await passwords.verify(first, 'Secret')).toBe(false)
  })

  it('verifies no password for an unknown account, not even the dummy password', async () => {
    const passwords = await createPasswordHasher()
    expect(await passwords.verify(undefined, 'no account has this password')).toBe(false)
  })

  it('serves sources in turn: a flood of one delays another by one round', async () => {
    const passwords = await createPasswordHasher()
    const done: string[] = []
    const flood = Array.from({ length: 60 }, (_, nth) =>
      passwords.verify(undefined, 'x', `203.0.113.${nth % 3}`).then(() => done.push('flood')),
    )
    const own = passwords.verify(undefined, 'x', '198.51.100.1').then(() => done.push('own'))
    await Promise.all([...flood, own])
    // Those that ran at once, one of each source before it, and one that may have begun meanwhile for each core.
    expect(done.indexOf('own')).toBeLessThan(60 / 2)
  })

  it('refuses the source with the most when too many wait', async () => {
    const passwords = await createPasswordHasher()
    const flood = Promise.allSettled(Array.from({ length: 600 }, () => passwords.verify(undefined, 'x', '203.0.113.1')))
    expect(await passwords.verify(undefined, 'x', '198.51.100.1')).toBe(false)
    const refused = (await flood).filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    // Hundreds of hashes.
  }, 120_000)

  it('verifies no password against an unreadable hash', async () => {
    const passwords = await createPasswordHasher()
    expect(await passwords.verify('$2b$10$nonsense', 'secret')).toBe(false)
  })
})
