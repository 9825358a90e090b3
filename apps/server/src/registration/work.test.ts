// The work behind answers: as many statements and password hashes whether or not a name has an account.
import { systemClock } from '@bowline/base/clock'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPasswordHasher } from '../auth/password-hashes/passwords.ts'
import { type AuthDeps, signIn } from '../auth/service.ts'
import { createTokenIssuer } from '../auth/tokens.ts'
import { loadInstanceKeys } from '../instance/keys.ts'
import { createMailQueue } from '../mails/queue.ts'
import { randomIds } from '../platform/ids.ts'
import { silentLog } from '../platform/log.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { createMailRequests } from './mail-requests.ts'
import { type RegistrationDeps, pendingPassword, register } from './service.ts'
import { inviteBy, newPerson, unique } from './testing.ts'

let server: BootedServer
let ada: Person
let deps: RegistrationDeps
/** Statements by kind, and `hash` and `verify` of passwords. */
let work: string[] = []
const origin = { source: '192.0.2.1', userAgent: 'test' }

beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_REGISTRATION: 'open' } })
  ada = await server.setUpAccount()
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      work.push(node.kind)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  const secretKey = new SecretKey(server.secretKey)
  const hasher = await createPasswordHasher()
  const db = server.database.system().withPlugin(counting)
  const settings = { publicOrigin: () => 'https://bowline.example.com', isSending: true }
  const mails = createMailQueue({ clock: systemClock, ids: randomIds, secretKey, ...settings })
  const auth: AuthDeps = {
    db,
    mails,
    clock: systemClock,
    log: silentLog,
    ids: randomIds,
    passwords: {
      hash: (password) => (work.push('hash'), hasher.hash(password)),
      verify: (stored, password) => (work.push('verify'), hasher.verify(stored, password)),
      check: (stored, password, options) => (work.push('verify'), hasher.check(stored, password, options)),
    },
    tokens: createTokenIssuer((await loadInstanceKeys(server.database.system(), secretKey)).token, systemClock),
    maximumLockoutMinutes: 0,
    refreshSecret: 'of this test',
    pendingPassword: (username) => pendingPassword(db, systemClock, username),
    isLocalSignInOn: () => Promise.resolve(true),
    secondSteps: () => Promise.resolve([]),
    linkProposed: () => Promise.resolve(undefined),
  }
  deps = { auth, mails, mode: 'open', isExemptSource: () => true }
})
afterAll(() => server.close())

async function workOf(act: () => Promise<unknown>): Promise<string[]> {
  work = []
  await act().catch(() => undefined)
  return work
}

describe('work of an answer', () => {
  it('does not depend on whether the address of a registration has an account', async () => {
    const invited = `${unique()}@example.com`
    await inviteBy(ada, invited)
    const of = (email: string) => workOf(() => register(deps, newPerson(unique(), { email }), origin))
    const unknown = await of(`${unique()}@example.com`)
    expect(unknown.filter((step) => step === 'hash')).toHaveLength(1)
    expect(unknown.length).toBeGreaterThan(4)
    expect(await of('ada@example.com')).toEqual(unknown)
    expect(await of(invited)).toEqual(unknown)
  })

  it('does not depend on whether a name has an account when a mail is asked for', async () => {
    const requests = createMailRequests(deps)
    // Nothing is looked up before the answer.
    await requests.stop()
    for (const kind of ['recover', 'confirm'] as const) {
      const of = (name: string) => workOf(() => requests.add(kind, name, origin))
      const unknown = await of(unique())
      expect(unknown.length).toBeGreaterThan(0)
      expect(await of('ada')).toEqual(unknown)
    }
  })

  it('does not depend on whether a registration waits under a name at sign-in', async () => {
    const waiting = newPerson()
    await register(deps, waiting, origin)
    const of = (username: string) => workOf(() => signIn(deps.auth, { username, password: 'wrong' }, origin))
    const unknown = await of(unique())
    expect(unknown.filter((step) => step === 'verify')).toHaveLength(1)
    expect(await of(waiting.username)).toEqual(unknown)
    expect(await of('ada')).toEqual(unknown)
  })
})
