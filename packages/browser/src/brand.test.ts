import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { brandCss, markSvg } from './brand.ts'

it("is drawn once: the console's icon is the same mark", () => {
  const icon = join(import.meta.dirname, '../../../apps/console/public/icon.svg')
  expect(readFileSync(icon, 'utf8')).toBe(markSvg())
})

it('gives the dark scheme a colour for each of the light one', () => {
  const [light = '', dark = ''] = brandCss().split("html[data-theme='dark']")
  const names = (css: string): string[] => [...css.matchAll(/(--brand-[a-z-]+): #/g)].map(([, name]) => name)
  expect(names(dark)).toEqual(names(light))
  expect(names(dark).length).toBeGreaterThan(10)
})
