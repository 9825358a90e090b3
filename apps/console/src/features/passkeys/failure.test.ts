import { describe, expect, it } from 'vitest'
import { describeCeremony, isAborted } from './failure.ts'
import { passkeyMessages as texts } from './messages.ts'

/** An error of the browser as the library wraps it. */
const wrapped = (name: string, code = 'ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY') => {
  const cause = new DOMException('as the browser has it', name)
  return Object.assign(new Error('wrapped', { cause }), { name, code })
}
const ceremony = { rpId: 'bowline.example.com', timeout: 300_000, elapsed: 2_000 }

describe('failure of a passkey dialog', () => {
  it.each([
    ['NotAllowedError', texts.cancelled],
    ['InvalidStateError', texts.registered],
    ['ConstraintError', texts.notSuitable],
    ['SecurityError', texts.wrongAddress('bowline.example.com')],
    ['UnknownError', texts.unknown],
  ])('explains %s, wrapped or not', (name, text) => {
    expect(describeCeremony(wrapped(name), ceremony).message).toBe(text)
    expect(describeCeremony(new DOMException('x', name), ceremony).message).toBe(text)
  })

  it('tells a timeout from a cancellation by the clock', () => {
    expect(describeCeremony(wrapped('NotAllowedError'), { ...ceremony, elapsed: 300_000 }).message).toBe(texts.timedOut)
  })

  it('explains what is no error', () => {
    expect(describeCeremony('odd', ceremony).message).toBe(texts.unknown)
  })

  it('knows what the console itself has ended', () => {
    expect(isAborted(wrapped('AbortError', 'ERROR_CEREMONY_ABORTED'))).toBe(true)
    expect(isAborted(new DOMException('x', 'AbortError'))).toBe(true)
    expect(isAborted(wrapped('NotAllowedError'))).toBe(false)
    expect(isAborted(undefined)).toBe(false)
  })
})
