// The screen at a moment of a part, as a picture takes it.
import type { CastEvent } from '@bowline/asciicast/cast'
import type { Sizes } from './picture.ts'

/** Characters of output: a part between two keyframes has much less, and one that grows may have any number. */
const MOST_OUTPUT = 1_048_576

/** A part of a recording that can be shown without what is before it. */
interface Part {
  readonly columns: number
  readonly rows: number
  readonly events: readonly CastEvent[]
}

/** @returns undefined when there is too much to draw */
export function sizesAt({ columns, rows, events }: Part, ms: number): Sizes | undefined {
  const sizes: Sizes = []
  let size = { columns, rows }
  let output = ''
  let length = 0
  const keep = (): void => {
    if (output !== '') sizes.push({ ...size, output })
    output = ''
  }
  for (const { atMs, code, data } of events) {
    if (atMs > ms) break
    if (code === 'o') {
      output += data
      length += data.length
      if (length > MOST_OUTPUT) return undefined
    }
    if (code !== 'r') continue
    keep()
    const [wide = 0, high = 0] = data.split('x').map(Number)
    if (wide > 0 && high > 0) size = { columns: wide, rows: high }
  }
  keep()
  return sizes.length > 0 ? sizes : [{ ...size, output: '' }]
}
