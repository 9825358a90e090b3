import { expect, it } from 'vitest'
import { TERMINAL_THEMES } from './themes.ts'
import { cssColour } from './colours.ts'

const theme = TERMINAL_THEMES.dark
const palette = (value: number) => cssColour(theme, { kind: 'palette', value })

it('takes the sixteen colours from the theme and leaves the default one out', () => {
  expect([palette(1), palette(9), cssColour(theme, { kind: 'default', value: 0 })]).toEqual([
    theme.red,
    theme.brightRed,
    undefined,
  ])
})

it('computes the colour cube, the greys and what is given as red, green and blue', () => {
  expect([16, 21, 196, 231].map(palette)).toEqual(['rgb(0 0 0)', 'rgb(0 0 255)', 'rgb(255 0 0)', 'rgb(255 255 255)'])
  expect([232, 255].map(palette)).toEqual(['rgb(8 8 8)', 'rgb(238 238 238)'])
  expect(cssColour(theme, { kind: 'rgb', value: 0x00a0ff })).toBe('#00a0ff')
})
