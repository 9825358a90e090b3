import { expect, test } from 'vitest'
import { RecordedStream } from '@bowline/link/testing'
import { fakeAuthority, logIn, offer, openSession, SESSION_UID, startAgent, until } from '../testing.ts'

const wrong = { method: 'password', password: 'wrong' }
const right = { method: 'password', password: 'right' }

test('a wrong password costs an attempt, not the stream', async () => {
  const { gateway, streams } = startAgent()
  const { answers } = await offer(gateway, [wrong, wrong, right])
  expect(answers.map((answer) => answer.type)).toEqual(['denied', 'denied', 'accepted'])
  expect(streams.sessionUids).toEqual([SESSION_UID])
})

test('the sixth wrong password is the last', async () => {
  const { gateway } = startAgent()
  const { stream, answers } = await offer(
    gateway,
    Array.from({ length: 7 }, () => wrong),
  )
  expect(answers.length).toBe(6)
  expect(stream.cause).toMatchObject({ by: 'policy', reason: 'too-many-attempts' })
})

test('two credentials at once, or one after the login, break the rules', async () => {
  const { gateway } = startAgent()
  const header = { session: SESSION_UID, user: 'x', remote: '' }
  const hasty = RecordedStream.open(gateway, 'auth', header)
  hasty.stream.control(wrong)
  hasty.stream.control(right)
  expect(await hasty.whenClosed()).toMatchObject({ reason: 'protocol' })
  expect(hasty.messages).toEqual([])
  const late = await logIn(gateway)
  late.stream?.control(right)
  expect(await late.whenClosed()).toMatchObject({ reason: 'protocol' })
})

test.each([{}, { session: 'x', user: 'y', remote: '' }, { session: SESSION_UID, user: 'u'.repeat(300), remote: '' }])(
  'header %o is refused',
  async (header) => {
    const { gateway } = startAgent()
    const stream = RecordedStream.open(gateway, 'auth', header)
    expect(await stream.whenClosed()).toMatchObject({ reason: 'protocol' })
  },
)

test('sessions of a login that has ended, or never was, are refused', async () => {
  const { gateway, streams } = startAgent()
  const login = await logIn(gateway)
  login.stream?.close()
  await until(() => streams.sessionUids.length === 0)
  expect(await openSession(gateway, login).whenClosed()).toMatchObject({ by: 'agent', reason: 'refused' })
  const undecided = RecordedStream.open(gateway, 'auth', { session: SESSION_UID, user: 'x', remote: '' })
  expect(await openSession(gateway, undecided).whenClosed()).toMatchObject({ by: 'agent', reason: 'refused' })
})

test('a check that ends after its stream lets nobody in', async () => {
  const answers: (() => void)[] = []
  const fake = fakeAuthority()
  const { gateway, streams, errors } = startAgent({
    authority: {
      ...fake,
      password: (user) => new Promise((resolve) => answers.push(() => resolve(fake.platform(user)))),
    },
  })
  const stream = RecordedStream.open(gateway, 'auth', { session: SESSION_UID, user: 'x', remote: '' })
  stream.stream.control(right)
  await until(() => answers.length === 1)
  stream.stream.close()
  await stream.whenClosed()
  answers[0]?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(streams.sessionUids).toEqual([])
  expect(errors).toEqual([])
})

test('a check that fails denies, and says so in the log', async () => {
  const { gateway, log } = startAgent({
    authority: { ...fakeAuthority(), password: () => Promise.reject(new Error('no database')) },
  })
  const { answers } = await offer(gateway, [right])
  expect(answers).toEqual([{ type: 'denied', reason: 'unsupported' }])
  expect(log.map((line) => line['ev'])).toContain('internal-error')
})

test('a statement is judged by the verifier and then by the account', async () => {
  const verify = (statement: string) => (statement === 'good' ? undefined : ('credential' as const))
  const { gateway } = startAgent({ statements: { verify } })
  const { answers } = await offer(gateway, [
    { method: 'statement', statement: 'bad' },
    { method: 'statement', statement: 'good' },
  ])
  expect(answers).toEqual([{ type: 'denied', reason: 'credential' }, { type: 'accepted' }])
})

test('the log names user and source but never a credential', async () => {
  const { gateway, log } = startAgent()
  await offer(gateway, [{ method: 'password', password: 'hunter2' }], 'ann')
  expect(log).toMatchObject([{ ev: 'login-denied', user: 'ann', remote: '203.0.113.5', reason: 'credential' }])
  expect(JSON.stringify(log)).not.toContain('hunter2')
})
