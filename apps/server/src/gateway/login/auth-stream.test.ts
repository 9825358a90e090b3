import { RecordedStream, linkPair } from '@bowline/link/testing/pair'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { openAuthStream } from './auth-stream.ts'
import { PromptCancelled } from './questions.ts'

const round = { name: '', instruction: '', prompts: [{ text: 'Code: ', echo: false }] }
const prompt = { type: 'prompt', ...round }
const questions = { method: 'keyboard-interactive' } as const
const password = { method: 'password', password: 'x' } as const

/** An auth stream and the device's end of it, which is passive. */
function setUp() {
  const devices: RecordedStream[] = []
  const { gateway } = linkPair({ agent: { open: RecordedStream.accept(devices) } })
  const clock = new ManualClock()
  const connection = { sessionId: 'ab'.repeat(32), peer: { address: '192.0.2.1', port: 50_000 } }
  const auth = openAuthStream(gateway, 'walter', connection, clock, () => undefined)
  let held = 0
  const permit = () => {
    held += 1
    return Promise.resolve(() => void (held -= 1))
  }
  /** The device's end once it has received so many messages. */
  async function device(heard: number): Promise<RecordedStream> {
    while ((devices[0]?.messages.length ?? 0) < heard) await new Promise((resolve) => setImmediate(resolve))
    return devices[0] ?? new RecordedStream()
  }
  return { auth, clock, device, permit, permits: () => held }
}

describe('auth stream', () => {
  it('holds a device permit while the device works, not while the person types', async () => {
    const { auth, device, permit, permits } = setUp()
    const typed = Promise.withResolvers<readonly string[]>()
    const atQuestion = Promise.withResolvers<object>()
    const person = {
      ask(asked: object) {
        atQuestion.resolve(asked)
        return typed.promise
      },
    }
    const verdict = auth.check(questions, { permit, person })
    const stream = await device(1)
    expect([stream.messages, permits()]).toEqual([[questions], 1])
    stream.stream?.control(prompt)
    expect(await atQuestion.promise).toMatchObject(round)
    expect(permits()).toBe(0)
    typed.resolve(['123456'])
    await device(2)
    expect([stream.messages[1], permits()]).toEqual([{ answers: ['123456'] }, 1])
    stream.stream?.control({ type: 'accepted' })
    expect(await verdict).toEqual({ type: 'accepted' })
    expect(permits()).toBe(0)
  })

  it('closes the stream when a device answers a password with a prompt', async () => {
    const { auth, device, permit } = setUp()
    const verdict = auth.check(password, { permit })
    const stream = await device(1)
    stream.stream?.control(prompt)
    expect(await verdict).toBeUndefined()
    expect(await stream.whenClosed()).toMatchObject({ by: 'gateway', reason: 'protocol' })
  })

  it('ends when the person cancels, and with a device that never stops asking', async () => {
    const away = setUp()
    const left = away.auth.check(questions, {
      permit: away.permit,
      person: { ask: () => Promise.reject(new PromptCancelled('gone')) },
    })
    const first = await away.device(1)
    first.stream?.control(prompt)
    await expect(left).rejects.toThrow(PromptCancelled)
    expect(await first.whenClosed()).toMatchObject({ by: 'user', reason: 'abandoned' })
    expect(away.permits()).toBe(0)

    const endless = setUp()
    let rounds = 0
    const person = { ask: () => Promise.resolve([String((rounds += 1))]) }
    const verdict = endless.auth.check(questions, { permit: endless.permit, person })
    // The credential, and 32 answers.
    for (let heard = 1; heard <= 33; heard += 1) (await endless.device(heard)).stream?.control(prompt)
    expect([await verdict, rounds]).toEqual([undefined, 32])
  })

  it('counts a person who cancels after an answer as wrong', async () => {
    const { auth, device, permit } = setUp()
    const answers = [Promise.resolve(['guess']), Promise.reject(new PromptCancelled('gone'))]
    answers[1]?.catch(() => undefined)
    const person = { ask: () => answers.shift() ?? Promise.resolve([]) }
    const verdict = auth.check(questions, { permit, person })
    ;(await device(1)).stream?.control(prompt)
    ;(await device(2)).stream?.control(prompt)
    expect(await verdict).toEqual({ type: 'denied', reason: 'credential' })
  })

  it('returns no verdict when the device does not answer in time', async () => {
    const { auth, clock, device, permit } = setUp()
    const verdict = auth.check(password, { permit })
    await device(1)
    clock.advance(30_000)
    expect(await verdict).toBeUndefined()
  })

  it('denies a credential as busy when too many wait for the device', async () => {
    const { auth } = setUp()
    expect(await auth.check(password, { permit: () => Promise.resolve(undefined) })).toEqual({
      type: 'denied',
      reason: 'busy',
    })
  })
})
