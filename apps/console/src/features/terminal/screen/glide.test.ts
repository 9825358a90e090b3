import { expect, it } from 'vitest'
import { glided, hasStopped } from './glide.ts'

it('goes as far in many frames as in one', () => {
  const frames = Array.from({ length: 100 }, (_, at) => glided(2, at * 16, (at + 1) * 16))
  expect(frames.reduce((sum, pixels) => sum + pixels, 0)).toBeCloseTo(glided(2, 0, 1_600))
})

it('slows down, goes the way of the finger, and ends', () => {
  expect(glided(2, 0, 100)).toBeGreaterThan(glided(2, 100, 200))
  expect(glided(-2, 0, 100)).toBe(-glided(2, 0, 100))
  expect(hasStopped(2, 0)).toBe(false)
  expect(hasStopped(-2, 2_000)).toBe(true)
})
