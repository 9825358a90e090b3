import { expect, it } from 'vitest'
import { SCALE, landPath, unwrapped } from './land.ts'

it('has no line across the world, also where countries cross the line at 180 degrees', () => {
  const rings = landPath()
    .split('M')
    .slice(1)
    .map((ring) =>
      ring
        .slice(0, -1)
        .split('L')
        .map((corner) => Number(corner.split(' ')[0])),
    )
  expect(rings.length).toBeGreaterThan(200)
  const jumps = rings.flatMap((ring) => ring.map((x, at) => Math.abs(x - (ring.at(at - 1) ?? x))))
  expect(Math.max(...jumps)).toBeLessThan(SCALE / 10)
  // The east of Russia is at the eastern edge, and its last part at the western one.
  expect(rings.some((ring) => Math.max(...ring) > SCALE)).toBe(true)
  expect(rings.some((ring) => Math.min(...ring) < 0)).toBe(true)
})

it('goes on beyond the edge instead of jumping to the other one', () => {
  const ring = [0.98, 0.01, 0.99].map((x) => ({ x, y: 0.2 }))
  expect(unwrapped(ring).map(({ x }) => x)).toEqual([0.98, expect.closeTo(1.01), 0.99])
})
