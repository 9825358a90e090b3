import { describe, expect, test } from 'vitest'
import { RecordedStream } from '@bowline/link/testing/pair'
import { until } from '@bowline/testkit/until'
import { fakeAuthority, logIn, offer, openSession, SESSION_UID, startAgent } from '../testing.ts'

const wrong = { method: 'password', password: 'wrong' }
const right = { method: 'password', password: 'right' }

test('counts a wrong password as an attempt and keeps the stream', async () => {
  const { gateway, streams } = startAgent()
  const { answers } = await offer(gateway, [wrong, wrong, right])
  expect(answers.map((answer) => answer.type)).toEqual(['denied', 'denied', 'accepted'])
  expect(streams.sessionUids).toEqual([SESSION_UID])
})

test('closes the stream on the sixth wrong password', async () => {
  const { gateway } = startAgent()
  const { stream, answers } = await offer(
    gateway,
    Array.from({ length: 7 }, () => wrong),
  )
  expect(answers.length).toBe(6)
  expect(stream.cause).toMatchObject({ by: 'agent', reason: 'too-many-attempts' })
})

test('rejects two concurrent credentials, and one after the login', async () => {
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

test('refuses sessions of a login that has ended or never existed', async () => {
  const { gateway, streams } = startAgent()
  const login = await logIn(gateway)
  login.stream?.close()
  await until(() => streams.sessionUids.length === 0)
  expect(await openSession(gateway, login).whenClosed()).toMatchObject({ by: 'agent', reason: 'refused' })
  const undecided = RecordedStream.open(gateway, 'auth', { session: SESSION_UID, user: 'x', remote: '' })
  expect(await openSession(gateway, undecided).whenClosed()).toMatchObject({ by: 'agent', reason: 'refused' })
})

test('accepts no login when its check ends after its stream', async () => {
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

test('denies a login and logs the error when its check fails', async () => {
  const { gateway, log } = startAgent({
    authority: { ...fakeAuthority(), password: () => Promise.reject(new Error('no database')) },
  })
  const { answers } = await offer(gateway, [right])
  expect(answers).toEqual([{ type: 'denied', reason: 'unsupported' }])
  expect(log.map((line) => line['ev'])).toContain('login.check-failed')
})

test('checks a statement by the verifier and then the account', async () => {
  const verify = (statement: string) => (statement === 'good' ? undefined : ('credential' as const))
  const { gateway } = startAgent({ statements: { verify } })
  const { answers } = await offer(gateway, [
    { method: 'statement', statement: 'bad' },
    { method: 'statement', statement: 'good' },
  ])
  expect(answers).toEqual([{ type: 'denied', reason: 'credential' }, { type: 'accepted' }])
})

test('logs user and source but never a credential', async () => {
  const { gateway, log } = startAgent()
  await offer(gateway, [{ method: 'password', password: 'hunter2' }], 'ann')
  expect(log).toMatchObject([{ ev: 'login.denied', user: 'ann', remote: '203.0.113.5', reason: 'credential' }])
  expect(JSON.stringify(log)).not.toContain('hunter2')
})

const question = { name: '', instruction: '', prompts: [{ text: 'Password: ', echo: false }] }

describe('prompts', () => {
  const begin = { method: 'keyboard-interactive' }

  /** Opens a login with one prompt pending. */
  async function asked(authority = fakeAuthority()) {
    const agent = startAgent({ authority })
    const { stream, answers } = await offer(agent.gateway, [begin])
    expect(answers).toEqual([{ type: 'prompt', ...question }])
    return { ...agent, stream }
  }

  test('prompts on the stream and counts a wrong answer as an attempt', async () => {
    const { stream, streams } = await asked()
    stream.stream.control({ answers: ['wrong'] })
    await until(() => stream.messages.length === 2)
    stream.stream.control(begin)
    await until(() => stream.messages.length === 3)
    stream.stream.control({ answers: ['right'] })
    await until(() => stream.messages.length === 4)
    expect(stream.messages.map(({ type }) => type)).toEqual(['prompt', 'denied', 'prompt', 'accepted'])
    expect(streams.sessionUids).toEqual([SESSION_UID])
  })

  test.each([{ answers: [] }, { answers: ['a', 'b'] }, { answers: [1] }, right])(
    'closes the stream on answers that match no prompt: %o',
    async (message) => {
      const { stream } = await asked()
      stream.stream.control(message)
      expect(await stream.whenClosed()).toMatchObject({ reason: 'protocol' })
    },
  )

  test('closes the stream on answers before a prompt', async () => {
    const { gateway } = startAgent()
    const { stream } = await offer(gateway, [{ answers: ['right'] }])
    expect(stream.cause).toMatchObject({ reason: 'protocol' })
  })

  test('passes on several prompts, shown and hidden, and aborts when the user disconnects', async () => {
    const rounds = [
      { name: 'token', instruction: 'Look at your token.', prompts: [{ text: 'Code: ', echo: true }] },
      {
        name: '',
        instruction: '',
        prompts: [question.prompts[0] ?? { text: '', echo: false }, { text: 'Name: ', echo: true }],
      },
    ]
    const heard: unknown[] = []
    let disconnected: AbortSignal | undefined
    const { gateway } = startAgent({
      authority: {
        ...fakeAuthority(),
        async interactive(_user, person) {
          disconnected = person.disconnected
          for (const round of rounds) heard.push(await person.ask(round).catch(() => 'gone'))
          return { denied: 'credential' }
        },
      },
    })
    const { stream } = await offer(gateway, [begin])
    stream.stream.control({ answers: ['123'] })
    await until(() => stream.messages.length === 2)
    expect(stream.messages).toEqual(rounds.map((round) => ({ type: 'prompt', ...round })))
    stream.stream.close()
    await until(() => heard.length === 2)
    expect([heard, disconnected?.aborted]).toEqual([[['123'], 'gone'], true])
  })
})
