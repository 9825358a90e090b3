import { describe, expect, it } from 'vitest'
import { BATCH_BYTES, FLOOD_BYTES, PAUSE_MS, createOutput } from './output.ts'

it('decodes chunks cut anywhere, even inside a character, and never loops on a repeated sequence', () => {
  const said = Buffer.from('\ufeff€\u001b[2147483647L\u009b2147483647Sé\u{1f600}')
  for (let at = 0; at <= said.length; at += 1) {
    const shown: string[] = []
    let done = 0
    const output = createOutput({
      cols: 80,
      rows: 24,
      write(text, callback) {
        shown.push(String(text))
        callback?.()
      },
    })
    for (const piece of [said.subarray(0, at), said.subarray(at)]) output(piece, () => (done += 1))
    expect(shown.join('')).toBe('\ufeff€\u001b[24L\u001b[24Sé\u{1f600}')
    expect(done).toBe(2)
  }
})

describe('batches', () => {
  let ms: number
  let timers: (() => void)[]
  let written: number[]
  let done: number

  function shower(): (bytes: number) => void {
    ms = 0
    timers = []
    written = []
    done = 0
    const write = (text: string | Uint8Array, callback?: () => void): void => {
      written.push(text.length)
      callback?.()
    }
    const clock = { now: () => ms, later: (work: () => void) => timers.push(work) }
    const output = createOutput({ cols: 80, rows: 24, write }, clock)
    return (bytes) => output(new Uint8Array(bytes).fill(120), () => (done += 1))
  }

  it('writes little output as it comes', () => {
    const show = shower()
    for (let key = 0; key < 100; key += 1) {
      show(100)
      ms += 5
    }
    expect(written).toEqual(Array.from({ length: 100 }, () => 100))
    expect(timers).toEqual([])
  })

  it('writes a flood in batches, and its rest after a pause', () => {
    const show = shower()
    const piece = 8 * 1024
    const pieces = (FLOOD_BYTES + 2 * BATCH_BYTES) / piece + 3
    for (let at = 0; at < pieces; at += 1) show(piece)
    expect(written).toEqual([piece, piece, BATCH_BYTES, BATCH_BYTES])
    expect(done).toBe(pieces - 3)
    for (const run of timers.splice(0)) run()
    expect(written.at(-1)).toBe(3 * piece)
    expect(done).toBe(pieces)
    ms += PAUSE_MS
    show(1)
    expect(written.at(-1)).toBe(1)
  })
})
