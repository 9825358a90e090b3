import { expect, it } from 'vitest'
import { positionOf } from './typed-position.ts'

it('reads degrees with a point or a comma, and a minus of either kind', () => {
  expect(positionOf({ latitude: ' 52.52 ', longitude: '13,4°' })).toEqual({ latitude: 52.52, longitude: 13.4 })
  expect(positionOf({ latitude: '-18', longitude: '\u2212178.44' })).toEqual({ latitude: -18, longitude: -178.44 })
})

it('is none when both are empty, and not a number for everything else', () => {
  expect(positionOf({ latitude: '', longitude: ' ' })).toBeNull()
  expect(positionOf({ latitude: '5', longitude: '' })).toEqual({ latitude: 5, longitude: Number.NaN })
  expect(positionOf({ latitude: 'here', longitude: '1' })?.latitude).toBeNaN()
})
