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

  it('verifies no password against an unreadable hash', async () => {
    const passwords = await createPasswordHasher()
    expect(await passwords.verify('$2b$10$nonsense', 'secret')).toBe(false)
  })
})
