import { expect, it } from 'vitest'
import { TERMINAL_THEMES } from './themes.ts'

/** WCAG 2.2, relative luminance and contrast ratio. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one = '', other = ''): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

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
