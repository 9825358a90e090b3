// How lists show times: as how long ago, or as date and time. A choice of this browser, for all of them.
import { createStore } from '../../platform/store.ts'
import { readSetting, writeSetting } from '../../platform/local-setting.ts'

export const TIME_STYLES = ['relative', 'absolute'] as const
export type TimeStyle = (typeof TIME_STYLES)[number]

const KEY = 'bowline.times'
const stored = readSetting(KEY)
export const timeStyle = createStore<TimeStyle>(TIME_STYLES.find((known) => known === stored) ?? 'relative')
document.documentElement.dataset['times'] = timeStyle.get()

/** CSS width of a column of times in the style that is chosen. */
export const TIME_WIDTH = 'var(--bowline-time-width)'

export function chooseTimeStyle(chosen: TimeStyle): void {
  timeStyle.set(chosen)
  writeSetting(KEY, chosen)
  document.documentElement.dataset['times'] = chosen
}
