// The ways to add a device, and the one that was chosen last in this browser.
import { readSetting, writeSetting } from '../../../platform/local-setting.ts'
import { ADD_WAYS, type AddWay } from '../search.ts'

const SETTING = 'bowline.add-way'

/** The way that an address asks for. @param asked `yes`: whichever was chosen last */
export function wayOf(asked: AddWay | 'yes'): AddWay {
  if (asked !== 'yes') return asked
  const stored = readSetting(SETTING)
  return ADD_WAYS.find((known) => known === stored) ?? 'linux'
}

export function rememberWay(way: AddWay): void {
  writeSetting(SETTING, way)
}
