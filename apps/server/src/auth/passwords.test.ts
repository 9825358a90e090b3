import { describe, expect, it } from 'vitest'
import { createPasswordHasher } from './passwords.ts'

describe('password hashes', () => {
  it('are argon2id, salted, and fit their password only', async () => {
    const passwords = await createPasswordHasher()
    const [first, second] = await Promise.all([passwords.hash('secret'), passwords.hash('secret')])
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(first).not.toBe(second)
    expect(await passwords.verify(first, 'secret')).toBe(true)
    expect(await passwords.verify(first, 'Secret')).toBe(false)
  })

  it('of nobody fit no password, not even the one that was hashed to spend the time', async () => {
    const passwords = await createPasswordHasher()
    expect(await passwords.verify(undefined, 'no account has this password')).toBe(false)
  })

  it('that cannot be read fit nothing', async () => {
    const passwords = await createPasswordHasher()
    expect(await passwords.verify('$2b$10$nonsense', 'secret')).toBe(false)
  })
})
