import { expect, it } from 'vitest'
import { contrast } from '../../../testing/contrast.ts'
import { TERMINAL_THEMES } from '../../screens/themes.ts'
import { searchColours, searchTheme } from './search-colours.ts'

it.each(Object.entries(TERMINAL_THEMES))('the current match is the strongest in the theme %s', (_, theme) => {
  const { background } = theme
  const { matchBackground, matchBorder, activeMatchBackground } = searchColours(background)
  expect(contrast(activeMatchBackground, matchBackground)).toBeGreaterThanOrEqual(3)
  expect(contrast(activeMatchBackground, background)).toBeGreaterThan(contrast(matchBackground, background))
  expect(contrast(activeMatchBackground, background)).toBeGreaterThanOrEqual(3)
  expect(contrast(matchBorder, background)).toBeGreaterThanOrEqual(3)
  // It is selected as well.
  const { selectionBackground, selectionInactiveBackground, selectionForeground } = searchTheme(theme)
  expect([selectionBackground, selectionInactiveBackground]).toEqual([activeMatchBackground, activeMatchBackground])
  expect(contrast(selectionForeground, activeMatchBackground)).toBeGreaterThanOrEqual(4.5)
})
