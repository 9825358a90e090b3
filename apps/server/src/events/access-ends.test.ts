// Live streams end soon after the credential that opened them, whatever ended it.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, PASSWORD, type Person, bootServer } from '../testing/boot.ts'

const { auth, events, users } = operations
const LOOK_MS = 1_000
let clock: ManualClock
let server: BootedServer
let ada: Person
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

/** Opens a stream. @returns `ended`, which resolves at its end, and `leave` */
async function listen(token: string): Promise<{ ended: Promise<void>; leave: () => Promise<void> }> {
  const response = await server.client(token).open(events.stream, {})
  const reader = response.body?.getReader()
  if (!reader) throw new Error('the stream has no body')
  const read = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  return { ended: read(), leave: () => reader.cancel() }
}

let people = 0
const newcomer = () => server.addPerson(`leaver${(people += 1)}`)

it.each<[string, (person: Person, token: string) => Promise<unknown>]>([
  [
    'a sign-out',
    (_, token) =>
      server.fetch('/api/auth/session', { method: 'DELETE', headers: { authorization: `Bearer ${token}` } }),
  ],
  ['a sign-out everywhere', (person) => person.client.call(auth.endSessions, {})],
  [
    'a new password',
    (person) =>
      person.client.call(users.update, { body: { password: 'another-password', current_password: PASSWORD } }),
  ],
  [
    'another process that ends the tokens',
    ({ id }) => server.database.system().updateTable('users').set({ token_epoch: 9 }).where('id', '=', id).execute(),
  ],
  ['another process that ends the membership', ({ tenant, id }) => server.removeMember(tenant, id)],
])('closes a live stream at the next poll after %s', async (_, leave) => {
  const person = await newcomer()
  const { body } = await server.client().call(auth.login, { body: { username: person.username, password: PASSWORD } })
  const stream = await listen(body.token)
  const other = await listen(ada.auth.token)
  let isOtherOver = false
  void other.ended.then(() => (isOtherOver = true))
  await leave(person, body.token)
  clock.advance(LOOK_MS)
  await stream.ended
  expect(isOtherOver).toBe(false)
  await other.leave()
})
