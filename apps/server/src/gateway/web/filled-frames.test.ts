// How output is cut into frames: at once while somebody waits for it, in filled frames during a flood.
import { readFrame } from '@bowline/contract/terminal/frames'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { expect, it } from 'vitest'
import { createWebTerminal } from './web-terminal.ts'

const PIECE = 4 * 1024

function terminal() {
  const clock = new ManualClock()
  const sizes: number[] = []
  const ignored = () => undefined
  const connection = () => ({ input: ignored, drained: ignored, disconnect: ignored, leave: ignored })
  const created = createWebTerminal({ clock, connection, resumeSeconds: 60, ended: ignored })
  created.begin({
    bufferedBytes: 0,
    close: ignored,
    send(frame) {
      const read = readFrame(frame)
      if (read?.kind === 'data') sizes.push(read.bytes.length)
    },
  })
  return { clock, sizes, created, say: (bytes: number) => created.view.output(new Uint8Array(bytes)) }
}

it('sends what is written into a quiet terminal at once', () => {
  const { sizes, created, say } = terminal()
  for (let key = 1; key <= 50; key += 1) {
    say(1)
    created.receive({ kind: 'taken', total: key - 1 })
  }
  expect(sizes).toEqual(Array.from({ length: 50 }, () => 1))
})

it('fills frames while the browser has enough to show, and sends the rest soon', () => {
  const { clock, sizes, say } = terminal()
  const atOnce = 32 * 1024
  for (let at = 0; at < atOnce / PIECE; at += 1) say(PIECE)
  expect(sizes).toEqual(Array.from({ length: atOnce / PIECE }, () => PIECE))
  sizes.length = 0
  for (let at = 0; at < (2 * TERMINAL.outputPieceBytes) / PIECE + 1; at += 1) say(PIECE)
  expect(sizes).toEqual([TERMINAL.outputPieceBytes, TERMINAL.outputPieceBytes])
  clock.advance(10)
  expect(sizes.at(-1)).toBe(PIECE)
})
