import { expect, it } from 'vitest'
import { formatPosition } from './position.ts'

it.each([
  [{ latitude: 52.5201, longitude: 13.4049 }, /^52.52.* N, 13.4.* E$/],
  [{ latitude: -33.87, longitude: -70.65 }, /^33.87.* S, 70.65.* W$/],
])('formats %j with its hemispheres', (position, text) => {
  expect(formatPosition(position)).toMatch(text)
})

it('formats an unknown position as undefined', () => {
  expect(formatPosition({ latitude: 0, longitude: 0 })).toBeUndefined()
})
