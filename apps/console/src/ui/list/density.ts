// How high the rows of tables are: a choice of this browser, on the root element, where stylesheets read it.
import { createStore } from '../../platform/store.ts'
import { readSetting, writeSetting } from '../../platform/local-setting.ts'

export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

const KEY = 'bowline.density'
const stored = readSetting(KEY)
export const density = createStore<Density>(DENSITIES.find((known) => known === stored) ?? 'comfortable')
document.documentElement.dataset['density'] = density.get()

export function chooseDensity(chosen: Density): void {
  density.set(chosen)
  writeSetting(KEY, chosen)
  document.documentElement.dataset['density'] = chosen
}
