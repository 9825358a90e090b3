import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventStreamParser, EventTooLongError } from './event-stream.ts'

const parse = (...pieces: string[]) => {
  const parser = createEventStreamParser()
  return pieces.flatMap((piece) => parser.push(piece))
}

describe('an event stream', () => {
  it('yields an event per block, with the last id seen', () => {
    expect(parse('id: 7\ndata: one\n\ndata: two\n\nid: 8\n\ndata:three\n\n')).toEqual([
      { id: '7', data: 'one' },
      { id: '7', data: 'two' },
      { id: '8', data: 'three' },
    ])
  })

  it('joins data lines and ignores comments and unknown fields', () => {
    expect(parse(': still here\nevent: device.changed\nretry: 5\ndata: a\ndata\ndata:  b\n\n')).toEqual([
      { id: '', data: 'a\n\n b' },
    ])
  })

  it('yields nothing for a truncated event', () => {
    expect(parse('data: half\n')).toEqual([])
  })

  it('ignores an id with a NUL, as the standard says', () => {
    expect(parse('id: a\0b\ndata: x\n\n')).toEqual([{ id: '', data: 'x' }])
  })

  it('rejects an event that never ends', () => {
    const parser = createEventStreamParser()
    const flood = () => {
      for (let count = 0; count < 20; count += 1) parser.push(`data: ${'x'.repeat(100_000)}\n`)
    }
    expect(flood).toThrow(EventTooLongError)
  })

  it('parses the same events for any chunking and any line ending', () => {
    const field = fc.constantFrom('data: a', 'data: {"x":1}', 'data:', 'id: 42', ': comment', 'event: e', 'nonsense')
    const lines = fc.array(fc.oneof(field, fc.constant('')), { maxLength: 30 })
    const end = fc.constantFrom('\n', '\r', '\r\n')
    fc.assert(
      fc.property(lines, end, fc.array(fc.nat(300), { maxLength: 10 }), (text, lineEnd, cuts) => {
        const whole = text.map((line) => line + lineEnd).join('')
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].sort((a, b) => a - b)
        const pieces = at.slice(1).map((stop, index) => whole.slice(at[index], stop))
        expect(parse(...pieces)).toEqual(parse(text.map((line) => `${line}\n`).join('')))
      }),
    )
  })
})
