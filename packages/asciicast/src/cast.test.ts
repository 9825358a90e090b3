import { type Arbitrary, array, assert, constantFrom, nat, property, record, string, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CastEvent, CastHeader } from './cast.ts'
import { CastError } from './cast.ts'
import { createLineSplitter } from './lines.ts'
import { createCastReader } from './read.ts'
import { createEventLines, headerLine, v2EventLine, v2HeaderLine } from './write.ts'

const header: Arbitrary<CastHeader> = record(
  { columns: nat(1_000), rows: nat(1_000), term: string({ minLength: 1 }), timestamp: nat() },
  { requiredKeys: ['columns', 'rows'] },
)
const events: Arbitrary<CastEvent[]> = array(
  record({
    atMs: nat(100_000_000),
    code: constantFrom('o' as const, 'r' as const, 'x' as const, 'm' as const),
    data: string({ unit: 'binary' }),
  }),
).map((all) => all.toSorted((one, other) => one.atMs - other.atMs))

function read(text: string): { header: CastHeader | undefined; events: CastEvent[] } {
  const reader = createCastReader()
  const found = text.split('\n').flatMap((line) => reader.next(line) ?? [])
  return { header: reader.header, events: found }
}

describe('asciicast', () => {
  it('round-trips version 3 to the millisecond', () => {
    assert(
      property(header, events, (top, all) => {
        const lines = createEventLines()
        const text = headerLine(top) + all.map(({ code, data, atMs }) => lines.next(code, data, atMs)).join('')
        expect(read(text)).toEqual({ header: { version: 3, ...top }, events: all })
      }),
    )
  })

  it('round-trips version 2, except exit statuses', () => {
    assert(
      property(header, events, (top, all) => {
        const text = v2HeaderLine(top) + all.map((event) => v2EventLine(event) ?? '').join('')
        expect(read(text)).toEqual({ header: { version: 2, ...top }, events: all.filter(({ code }) => code !== 'x') })
      }),
    )
  })

  it('reads the examples of the format’s specification', () => {
    const three = [
      '{"version": 3, "term": {"cols": 80, "rows": 24, "type": "xterm-256color"}, "timestamp": 1504467315, "title": "Demo"}',
      '# a comment',
      '[0.248848, "o", "\\u001b[1;31mHello \\u001b[32mWorld!\\u001b[0m\\n"]',
      '[1.001376, "o", "That was ok\\rThis is better."]',
      '[3.5, "m", ""]',
      '[0.143733, "r", "100x50"]',
      '[1.0, "z", "a code of later"]',
      '[2.0, "x", "0"]',
      '',
    ].join('\n')
    expect(read(three)).toEqual({
      header: { version: 3, columns: 80, rows: 24, term: 'xterm-256color', timestamp: 1_504_467_315 },
      events: [
        { atMs: 248.848, code: 'o', data: '\u001B[1;31mHello \u001B[32mWorld!\u001B[0m\n' },
        { atMs: 1_250.224, code: 'o', data: 'That was ok\rThis is better.' },
        { atMs: 4_750.224, code: 'm', data: '' },
        { atMs: 4_893.957, code: 'r', data: '100x50' },
        { atMs: 7_893.957, code: 'x', data: '0' },
      ],
    })
    const two = '{"version": 2, "width": 80, "height": 24, "env": {"TERM": "xterm"}}\n[1.5, "o", "a"]\n[2, "i", "b"]\n'
    expect(read(two).events).toEqual([
      { atMs: 1_500, code: 'o', data: 'a' },
      { atMs: 2_000, code: 'i', data: 'b' },
    ])
  })

  it('reports the line number of a malformed line', () => {
    const top = '{"version":3,"term":{"cols":80,"rows":24}}\n'
    const wrong = ['{', '[]', '[-1,"o","a"]', '["0","o","a"]', '[0,"o",1]', '[0,1,"a"]', '{}', 'null']
    for (const line of wrong) {
      expect(() => read(top + line)).toThrow(expect.objectContaining({ name: 'CastError', line: 2 }))
    }
    expect(() => read('{"version":1}')).toThrow(CastError)
    expect(() => read('{"version":3}')).toThrow(/size/)
  })

  it('splits the same lines wherever the chunks end', () => {
    assert(
      property(uint8Array({ max: 12 }), array(nat(20)), (bytes, cuts) => {
        const splitter = createLineSplitter()
        const lines: Uint8Array[] = []
        let from = 0
        for (const cut of [...cuts, bytes.length]) {
          lines.push(...splitter.push(bytes.subarray(from, from + cut)))
          from += cut
        }
        expect(Buffer.concat([...lines, splitter.rest])).toEqual(Buffer.from(bytes))
        for (const line of lines) expect(line.indexOf(0x0a)).toBe(line.length - 1)
        expect(splitter.rest.includes(0x0a)).toBe(false)
      }),
    )
  })
})
