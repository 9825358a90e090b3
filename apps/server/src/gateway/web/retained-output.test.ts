import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RetainedOutput } from './retained-output.ts'

const steps = fc.array(
  fc.oneof(fc.record({ append: fc.nat(50_000) }), fc.record({ release: fc.double({ min: 0, max: 1, noNaN: true }) })),
  { maxLength: 30 },
)

describe('RetainedOutput', () => {
  it('retains exactly the appended and unreleased bytes', () => {
    fc.assert(
      fc.property(steps, (todo) => {
        const retained = new RetainedOutput()
        let all = Buffer.alloc(0)
        let released = 0
        for (const step of todo) {
          if ('append' in step) {
            const bytes = Buffer.from(Array.from({ length: step.append }, (_, at) => (all.length + at) % 253))
            all = Buffer.concat([all, bytes])
            retained.append(bytes)
          } else {
            const upTo = retained.start + Math.floor((retained.end - retained.start) * step.release)
            retained.release(upTo)
            released = upTo
          }
        }
        const middle = Math.floor((retained.start + retained.end) / 2)
        const kept = [...retained.pieces(retained.start, middle), ...retained.pieces(middle, retained.end)]
        expect(Buffer.concat(kept).equals(all.subarray(retained.start))).toBe(true)
        expect([retained.start, retained.end]).toEqual([released, all.length])
      }),
      { numRuns: 50 },
    )
  })

  it('rejects releasing bytes twice or beyond the end', () => {
    const retained = new RetainedOutput()
    retained.append(new Uint8Array(10))
    expect([retained.release(11), retained.release(5), retained.release(4)]).toEqual([false, true, false])
  })
})
