import type { Lane } from '@bowline/link/api'
import { describe, expect, it } from 'vitest'
import { LateInput } from './late-input.ts'

const ERROR = 'Error: write unixpacket @->/proc/self/fd/12/attach: write: broken pipe\n'

function passed(...chunks: readonly (readonly [string, Lane])[]): [string, Lane][] {
  const late = new LateInput()
  const out: [string, Lane][] = []
  for (const [text, lane] of chunks) {
    late.push(Buffer.from(text), lane, (bytes, of) => out.push([bytes.toString(), of]))
  }
  return out
}

describe('an error of podman about late input', () => {
  it('is left out at the end of an output', () => {
    expect(passed(['done\r\n', 0], [ERROR, 0])).toEqual([['done\r\n', 0]])
    expect(passed([`done\r\n${ERROR}`, 0])).toEqual([['done\r\n', 0]])
    expect(passed(['done\n', 0], [ERROR, 1])).toEqual([['done\n', 0]])
  })

  it('is passed on by a process that writes the same and goes on', () => {
    expect(passed([ERROR, 1], ['more', 0])).toEqual([
      [ERROR, 1],
      ['more', 0],
    ])
    expect(passed([`${ERROR}more`, 0])).toEqual([[`${ERROR}more`, 0]])
  })

  it('does not hold back other output', () => {
    const long = 'x'.repeat(100_000)
    expect(passed([long, 0], ['Error: write\n', 1])).toEqual([
      [long, 0],
      ['Error: write\n', 1],
    ])
  })
})
