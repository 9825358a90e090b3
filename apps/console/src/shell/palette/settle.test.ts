import { expect, it } from 'vitest'
import type { PaletteItem } from './items.ts'
import { settledOrder } from './settle.ts'

const item = (name: string): PaletteItem => {
  const [group = '', id = ''] = name.split(' ')
  return { id, group, label: id, run: () => {} }
}
const items = (...names: string[]) => names.map(item)

it('keeps what is above the active row, and the row', () => {
  const shown = ['Actions a', 'Actions b', 'Pages p']
  const late = items('Devices d', 'Actions a', 'Actions b', 'Pages p')
  expect(settledOrder(shown, late, 1)).toEqual(['Actions a', 'Actions b', 'Devices d', 'Pages p'])
})

it('puts late ones of the same group beside the active row', () => {
  const shown = ['Devices d1', 'Pages p']
  const late = items('Actions a', 'Devices d0', 'Devices d1', 'Devices d2', 'Pages p')
  expect(settledOrder(shown, late, 0)).toEqual(['Devices d1', 'Devices d0', 'Devices d2', 'Actions a', 'Pages p'])
})

it('drops what is found no more', () => {
  expect(settledOrder(['Devices d1', 'Devices d2'], items('Devices d2', 'Devices d3'), 1)).toEqual([
    'Devices d2',
    'Devices d3',
  ])
})
