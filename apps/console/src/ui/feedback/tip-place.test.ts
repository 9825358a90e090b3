import { expect, it } from 'vitest'
import { placeTip } from './tip-place.ts'

const TIP = { offsetWidth: 100, offsetHeight: 24 }
const at = (left: number, top: number) => ({ left, top, bottom: top + 20, width: 40 })

it('is above its control, over its middle', () => {
  const { side, style } = placeTip(at(200, 300), TIP, 800)
  expect(side).toBe('above')
  expect(style).toMatchObject({ left: 170, top: 269, '--arrow': '50px' })
})

it('is below a control at the top of the page', () => {
  expect(placeTip(at(200, 10), TIP, 800)).toMatchObject({ side: 'below', style: { top: 37 } })
})

it.each([
  ['left', 0, 4, '16px'],
  ['right', 770, 696, '94px'],
])('stays inside of the %s edge, and points at its control', (_edge, left, expected, arrow) => {
  expect(placeTip(at(left, 300), TIP, 800).style).toMatchObject({ left: expected, '--arrow': arrow })
})
