import { expect, it } from 'vitest'
import { nearestEdge } from './drag.ts'

it('drops at the edge that is nearest in shares of the pane', () => {
  const box = { left: 100, top: 50, width: 800, height: 200, x: 100, y: 50, right: 900, bottom: 250 }
  expect(nearestEdge(box, 120, 150)).toBe('left')
  expect(nearestEdge(box, 890, 150)).toBe('right')
  expect(nearestEdge(box, 500, 60)).toBe('top')
  expect(nearestEdge(box, 500, 245)).toBe('bottom')
  // As many pixels from both, but a smaller share of the width.
  expect(nearestEdge(box, 130, 80)).toBe('left')
})
