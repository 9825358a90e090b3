import { Terminal } from '@xterm/headless'
import { beforeEach, expect, it } from 'vitest'
import { forgetConsents } from './consents.ts'
import { createSignals } from './signals.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const clipboardOf = (text: string) => `\u001B]52;c;${base64(text)}\u0007`

beforeEach(forgetConsents)

function start({ isSeen = true, isBellOff = false, refuses = false } = {}) {
  const terminal = new Terminal({ allowProposedApi: true })
  const written: string[] = []
  const replies: string[] = []
  terminal.onData((data) => void replies.push(data))
  let time = 0
  let looks = isSeen
  const signals = createSignals({
    terminal,
    device: 'a',
    now: () => time,
    isSeen: () => looks,
    isBellOff: () => isBellOff,
    write: (text) => (refuses ? Promise.reject(new Error('no focus')) : Promise.resolve(void written.push(text))),
  })
  const output = (text: string) => new Promise<void>((done) => terminal.write(text, done))
  return {
    signals,
    output,
    written,
    replies,
    pass: (ms: number) => (time += ms),
    look: (now: boolean) => (looks = now),
  }
}

it('shows titles as one clean line', async () => {
  const { signals, output } = start()
  await output(`\u001B]0;make\u202E ${'x'.repeat(200)}\u0007`)
  expect(signals.title.get()).toBe(`make ${'x'.repeat(74)}…`)
  signals.reset()
  expect(signals.title.get()).toBe('')
})

it('rings once a second at most, and marks what nobody saw', async () => {
  const { signals, output, pass } = start({ isSeen: false })
  await output('\u0007'.repeat(1_000))
  expect(signals.bells.get()).toBe(1)
  pass(999)
  await output('\u0007')
  expect(signals.bells.get()).toBe(1)
  pass(1)
  await output('\u0007')
  expect(signals.bells.get()).toBe(2)
  expect(signals.isRung.get()).toBe(true)
  signals.seen()
  expect(signals.isRung.get()).toBe(false)
})

it('does not ring when the person wants no bell', async () => {
  const { signals, output } = start({ isSeen: false, isBellOff: true })
  await output('\u0007')
  expect([signals.bells.get(), signals.isRung.get()]).toEqual([0, false])
})

it('asks once for the clipboard, and then writes without a question', async () => {
  const { signals, output, written } = start()
  await output(clipboardOf('one'))
  expect(written).toEqual([])
  expect(signals.clipboard.get()).toEqual({ text: 'one' })
  signals.answer(true, false)
  await output(clipboardOf('two'))
  expect(written).toEqual(['one', 'two'])
  expect(signals.clipboard.get()).toBeUndefined()
})

it('writes only while the person looks at the terminal, and asks again otherwise, even when it is allowed', async () => {
  const { signals, output, written, look } = start()
  await output(clipboardOf('one'))
  signals.answer(true, true)
  look(false)
  await output(clipboardOf('two'))
  expect(written).toEqual(['one'])
  expect(signals.clipboard.get()).toEqual({ text: 'two' })
  look(true)
  signals.answer(true, false)
  expect(written).toEqual(['one', 'two'])
})

it('takes the answer for the text that was shown, and asks about the latest one next', async () => {
  const { signals, output, written } = start()
  for (const text of ['one', 'two', 'three']) await output(clipboardOf(text))
  expect(signals.clipboard.get()).toEqual({ text: 'one' })
  signals.answer(true, false)
  expect(written).toEqual(['one'])
  expect(signals.clipboard.get()).toEqual({ text: 'three' })
  signals.answer(false, false)
  expect(written).toEqual(['one'])
  const denied = start()
  for (const text of ['one', 'two']) await denied.output(clipboardOf(text))
  denied.signals.answer(false, false)
  expect([denied.signals.clipboard.get(), denied.written]).toEqual([undefined, []])
})

it('writes and asks nothing more once it is denied, also in other terminals of the device when remembered', async () => {
  const first = start()
  await first.output(clipboardOf('one'))
  first.signals.answer(false, true)
  await first.output(clipboardOf('two'))
  const second = start()
  await second.output(clipboardOf('three'))
  for (const { signals, written } of [first, second]) {
    expect(written).toEqual([])
    expect(signals.clipboard.get()).toBeUndefined()
  }
})

it('never answers a program that reads the clipboard, not even an allowed one', async () => {
  const { signals, output, written, replies } = start()
  await output(clipboardOf('one'))
  signals.answer(true, true)
  await output('\u001B]52;c;?\u0007')
  expect(replies).toEqual([])
  expect(written).toEqual(['one'])
})

it('takes no text that is too long, and asks for a click where the browser wants one', async () => {
  const long = start()
  await long.output(clipboardOf('x'.repeat(300_000)))
  expect(long.signals.clipboard.get()).toEqual({ text: undefined })
  const refused = start({ refuses: true })
  await refused.output(clipboardOf('one'))
  refused.signals.answer(true, false)
  await Promise.resolve()
  await Promise.resolve()
  expect(refused.signals.clipboard.get()).toEqual({ text: 'one' })
})

it('shows progress until the program ends it', async () => {
  const { signals, output } = start()
  await output('\u001B]9;4;1;40\u0007')
  expect(signals.progress.get()).toEqual({ kind: 'running', percent: 40 })
  await output('\u001B]9;4;0\u0007')
  expect(signals.progress.get()).toBeUndefined()
})
