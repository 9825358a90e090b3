import { array, assert, nat, property, uint8Array } from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { LengthFrames, withLength } from './length-frames.ts'

function framesOf(stream: Uint8Array, cuts: readonly number[], maxBytes = 1_000) {
  const frames: string[] = []
  const reader = new LengthFrames(maxBytes, (frame) => frames.push(frame.toString('latin1')))
  let isGood = true
  let from = 0
  for (const to of [...cuts.toSorted((a, b) => a - b), stream.length]) {
    const piece = Uint8Array.from(stream.subarray(from, to))
    isGood &&= reader.push(piece)
    // The memory belongs to the caller.
    piece.fill(0)
    from = to
  }
  return { frames, isGood }
}

describe('frames behind their length', () => {
  it('are the same however they are cut', () => {
    const payloads = array(uint8Array({ maxLength: 50 }), { maxLength: 8 })
    assert(
      property(payloads, array(nat(500)), (all, cuts) => {
        const stream = Buffer.concat(all.map(withLength))
        const within = cuts.map((cut) => Math.min(cut, stream.length))
        const expected = all.map((payload) => Buffer.from(payload).toString('latin1'))
        expect(framesOf(stream, within)).toEqual({ frames: expected, isGood: true })
      }),
    )
  })

  it('end with one that is too long, before its bytes arrive', () => {
    const stream = Buffer.concat([withLength(Buffer.from('fits')), Buffer.from([0, 0, 4, 1])])
    expect(framesOf(stream, [], 1_024)).toEqual({ frames: ['fits'], isGood: false })
    expect(framesOf(withLength(Buffer.alloc(1_024)), [7], 1_024).isGood).toBe(true)
  })

  it('copy each byte once, however small the pieces are', () => {
    const concat = vi.spyOn(Buffer, 'concat')
    const reader = new LengthFrames(100_000, () => undefined)
    for (const byte of withLength(Buffer.alloc(100_000))) reader.push(Uint8Array.of(byte))
    const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0)
    concat.mockRestore()
    expect(copied).toBeLessThan(101_000)
  })
})
