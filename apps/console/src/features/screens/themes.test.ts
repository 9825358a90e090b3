import { expect, it } from 'vitest'
import { contrast } from '../../testing/contrast.ts'
import { TERMINAL_THEMES } from './themes.ts'

it.each(Object.entries(TERMINAL_THEMES))('the theme %s is readable, also where text is selected', (_, theme) => {
  const { background, foreground, cursor, selectionBackground } = theme
  expect(contrast(foreground, background)).toBeGreaterThanOrEqual(7)
  expect(contrast(cursor, background)).toBeGreaterThanOrEqual(3)
  expect(contrast(foreground, selectionBackground)).toBeGreaterThanOrEqual(4.5)
})

it.each(['contrast', 'contrastLight'] as const)('every colour of the theme %s has a contrast of 7', (name) => {
  const { background, cursorAccent, selectionBackground, ...colours } = TERMINAL_THEMES[name]
  for (const colour of Object.values(colours)) expect(contrast(String(colour), background)).toBeGreaterThanOrEqual(7)
  expect(cursorAccent).toBe(background)
  expect(selectionBackground).not.toBe(background)
})
