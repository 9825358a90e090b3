// Accounts whose password hash comes from another server sign in over HTTP. The hashes are those of libxcrypt and sha256sum.
import { createHash } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { randomIds } from '../../platform/ids.ts'
import { type BootedServer, bootServer, outcome } from '../../testing/boot.ts'
import { highestBcryptCost, replaceHash } from '../../users/service.ts'
import { ForeignHash, decoyOf, storedForm } from './foreign-hashes.ts'
import { createPasswordHasher } from './passwords.ts'

const { auth, users } = operations
const SALT = 'abcdefghijklmnopqrstuu'
const SECRET = 'correct horse'
const HASHES = {
  '2a': [SECRET, `$2a$05$${SALT}HNbAKRhpaujgo33bRWs.NLUTJO3lOy2`],
  '2b': [SECRET, `$2b$05$${SALT}HNbAKRhpaujgo33bRWs.NLUTJO3lOy2`],
  '2y': [SECRET, `$2y$05$${SALT}HNbAKRhpaujgo33bRWs.NLUTJO3lOy2`],
  'of more than ASCII': ['pässwort€', `$2b$05$${SALT}/DS8OLeQ5fSQbfCyFxO3EFE07BuT8GG`],
  'of SHA-256': [SECRET, '4104d36f8da2c254349f85836793ebe029e0c957063a34c91c2e9203187b5631'],
  'of SHA-256 in capitals': [SECRET, '4104D36F8DA2C254349F85836793EBE029E0C957063A34C91C2E9203187B5631'],
} as const

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

let count = 0
async function accountWith(foreign: string) {
  const passwords = await createPasswordHasher()
  const password_hash = await storedForm(ForeignHash.parse(foreign), (text) => passwords.hash(text))
  const username = `moved${(count += 1)}`
  const row = { id: randomIds.user(), name: username, username, email: `${username}@example.com`, password_hash }
  await server.database
    .system()
    .insertInto('users')
    .values({ ...row, status: 'confirmed' })
    .execute()
  return row
}

const signIn = (username: string, password: string) =>
  server.client().call(auth.login, { body: { username, password } })
async function hashOf(id: string): Promise<string | null> {
  const rows = server.database.system().selectFrom('users').select(['id', 'password_hash', 'token_epoch'])
  return (await rows.execute()).find((row) => row.id === id)?.password_hash ?? null
}
const OURS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/

describe('hashes of another server', () => {
  it.each(Object.entries(HASHES))(
    'a hash %s signs its person in, and is replaced by ours',
    async (_, [secret, foreign]) => {
      const { id, username, password_hash: before } = await accountWith(foreign)
      expect(before).not.toMatch(OURS)
      expect(before).not.toContain(HASHES['of SHA-256'][1])
      expect(await outcome(signIn(username, `${secret}!`))).toBe('401 BAD_CREDENTIALS')
      expect(await hashOf(id)).toBe(before)
      expect(await outcome(signIn(username, secret))).toBe('200')
      const after = await hashOf(id)
      expect(after).toMatch(OURS)
      expect(await outcome(signIn(username, `${secret}!`))).toBe('401 BAD_CREDENTIALS')
      expect(await outcome(signIn(username, secret))).toBe('200')
      expect(await hashOf(id)).toBe(after)
    },
  )

  it('looks at 72 bytes as bcrypt does, and at all of them from then on', async () => {
    const long = 'x'.repeat(72)
    const { username } = await accountWith(`$2b$05$${SALT}jf8SX2ahXLwp9w/B.Y5XdysS6yR576q`)
    expect(await outcome(signIn(username, `${long.slice(1)}y`))).toBe('401 BAD_CREDENTIALS')
    expect(await outcome(signIn(username, `${long}tail`))).toBe('200')
    expect(await outcome(signIn(username, `${long}other`))).toBe('401 BAD_CREDENTIALS')
  })

  it('counts wrong passwords and locks as for every account', async () => {
    const { id, username } = await accountWith(HASHES['2a'][1])
    const answers = []
    for (let guess = 0; guess < 4; guess += 1) answers.push(await outcome(signIn(username, 'wrong')))
    expect(answers.at(-1)).toBe('429 LOCKED_OUT')
    expect(await outcome(signIn(username, SECRET))).toBe('429 LOCKED_OUT')
    expect(await hashOf(id)).toBe(HASHES['2a'][1])
  })

  it('is replaced too where the password is asked for again, and ends nothing', async () => {
    const { id, username, password_hash: before } = await accountWith(HASHES['2y'][1])
    const { body } = await signIn(username, SECRET)
    const table = server.database.system()
    await table.updateTable('users').set({ password_hash: before }).where('username', '=', username).execute()
    const client = server.client(body.token)
    const change = { current_password: SECRET, password: 'another secret' }
    expect(await outcome(client.call(users.update, { body: change }))).toBe('200')
    expect(await outcome(signIn(username, SECRET))).toBe('401 BAD_CREDENTIALS')
    expect(await outcome(signIn(username, 'another secret'))).toBe('200')
    expect(await hashOf(id)).toMatch(OURS)
  })

  it('does not undo a change of the password that comes meanwhile', async () => {
    const { id, password_hash: before } = await accountWith(HASHES['2b'][1])
    await replaceHash(server.database.system(), id, 'what was checked', 'the old password')
    expect(await hashOf(id)).toBe(before)
  })

  it('has every name pay what the dearest of them costs', async () => {
    await accountWith(await hashBcrypt('x', 7))
    expect(await highestBcryptCost(server.database.system())).toBe(7)
    expect([decoyOf(7), decoyOf(14)]).toEqual([`$2b$07$${'.'.repeat(53)}`, `$2b$12$${'.'.repeat(53)}`])
    expect(await outcome(signIn('nobody-at-all', SECRET))).toBe('401 BAD_CREDENTIALS')
  })
})

describe('what is not a hash of another server', () => {
  const digest = 'HNbAKRhpaujgo33bRWs.NLUTJO3lOy2'
  it.each([
    ['', 'nothing'],
    ['secret', 'a password'],
    [`$2x$05$${SALT}${digest}`, 'the broken variant of bcrypt'],
    [`$2b$03$${SALT}${digest}`, 'too cheap'],
    [`$2b$15$${SALT}${digest}`, 'too dear'],
    [`$2b$05$${SALT}${digest}\n`, 'a line more'],
    [createHash('md5').update('x').digest('hex'), 'MD5'],
    ['$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA', 'argon2id'],
  ])('refuses %j: %s', (hash) => {
    const read = ForeignHash.safeParse(hash)
    expect(read.error?.issues.map(({ message }) => message)).toEqual([
      'must be a bcrypt hash ($2a$, $2b$ or $2y$) of cost 4 to 14, or 64 hex digits of SHA-256',
    ])
  })

  it('is checked by nobody where an account has it all the same', async () => {
    const passwords = await createPasswordHasher()
    const options = { source: '', bcryptCost: 4 }
    expect(await passwords.check(`$2b$15$${SALT}${digest}`, SECRET, options)).toEqual({ matches: false })
    expect(await passwords.check(HASHES['of SHA-256'][1], SECRET, options)).toEqual({ matches: false })
    expect(await passwords.check(undefined, 'no account has this password', options)).toEqual({ matches: false })
  })
})
