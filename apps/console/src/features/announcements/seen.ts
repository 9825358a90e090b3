// Remembers the last announcement seen in this browser.
import { readSetting, writeSetting } from '../../ui/local-setting.ts'

const SETTING = 'bowline.announcement'

export function wasSeen(uuid: string): boolean {
  return readSetting(SETTING) === uuid
}

export function rememberAnnouncement(uuid: string): void {
  writeSetting(SETTING, uuid)
}
