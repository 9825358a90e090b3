// A password can be typed by anybody: what comes of it must not tell which devices exist, nor which are online.
import { operations } from '@bowline/contract/operations'
import type { AuthDecision } from '@bowline/ssh/api'
import * as n from '@bowline/ssh/wire/numbers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../platform/testing.ts'
import { type BootedServer, type Person, bootServer } from '../testing.ts'
import { paced } from './login.ts'
import { fakeDevice, rawClient } from './testing.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
})
afterAll(() => server.close())

/** The messages that answer two wrong passwords, each with its bytes. */
async function answersTo(login: string): Promise<string[]> {
  const client = await rawClient(server)
  await client.startAuthentication()
  const answers: string[] = []
  for (const password of ['wrong', 'wrong again']) {
    client.sendPassword(login, password)
    for (let type = 0; type !== n.MSG_USERAUTH_FAILURE && type !== n.MSG_DISCONNECT;) {
      const message = await client.next(n.MSG_USERAUTH_BANNER, n.MSG_USERAUTH_FAILURE, n.MSG_DISCONNECT)
      type = message[0] ?? 0
      answers.push(message.toString('latin1'))
    }
  }
  return answers
}

describe('a wrong password', () => {
  it('gets the same messages for a device that is online, offline, pending, rejected or unknown', async () => {
    const online = await fakeDevice(server, person)
    const offline = await server.acceptedDevice(person)
    const pending = await server.registerDevice(person.tenant)
    const rejected = await server.registerDevice(person.tenant)
    await person.client.call(operations.devices.setStatus, { params: { uid: rejected.uid, status: 'reject' } })
    const logins = [
      online.login('root'),
      `root@${offline.uid}`,
      `root@${pending.uid}`,
      `root@${rejected.uid}`,
      `root@${'0'.repeat(64)}`,
      'root@nobody.nothing',
    ]
    const [first, ...others] = await Promise.all(logins.map(answersTo))
    expect(first?.map((answer) => answer.charCodeAt(0))).toEqual([
      n.MSG_USERAUTH_BANNER,
      n.MSG_USERAUTH_FAILURE,
      n.MSG_USERAUTH_FAILURE,
    ])
    expect(others).toEqual(Array(logins.length - 1).fill(first))
  })
})

describe('the answer to a wrong password', () => {
  it.each([0, 1, 5, 400, 999])('leaves after a whole second when it was known after %i ms', async (known) => {
    const clock = fakeClock()
    const judged = Promise.withResolvers<AuthDecision>()
    const answer = paced(clock, judged.promise)
    let answered = false
    void answer.then(() => (answered = true))
    clock.advance(known)
    judged.resolve({ result: 'reject' })
    await judged.promise
    await Promise.resolve()
    clock.advance(999 - known)
    await Promise.resolve()
    expect(answered).toBe(false)
    clock.advance(1)
    expect(await answer).toEqual({ result: 'reject' })
  })

  it('leaves at once when it was right', async () => {
    const accepted: AuthDecision = { result: 'accept' }
    expect(await paced(fakeClock(), Promise.resolve(accepted))).toBe(accepted)
  })
})
