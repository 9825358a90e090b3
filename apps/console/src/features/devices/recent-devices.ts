// Devices opened most recently in this browser, by namespace.
import { readSetting, writeSetting } from '../../platform/local-setting.ts'

const KEPT = 5

export interface RecentDevice {
  readonly uid: string
  readonly name: string
}

const settingOf = (tenant: string) => `bowline.recent.${tenant}`

/** Newest first. Unreadable storage counts as empty. */
export function recentDevices(tenant: string): RecentDevice[] {
  try {
    const stored: unknown = JSON.parse(readSetting(settingOf(tenant)) ?? '[]')
    if (!Array.isArray(stored)) return []
    return stored.flatMap((each: unknown) =>
      typeof each === 'object' && each !== null && 'uid' in each && 'name' in each
        ? [{ uid: String(each.uid), name: String(each.name) }]
        : [],
    )
  } catch {
    return []
  }
}

export function rememberDevice(tenant: string, { uid, name }: RecentDevice): void {
  const others = recentDevices(tenant).filter((each) => each.uid !== uid)
  writeSetting(settingOf(tenant), JSON.stringify([{ uid, name }, ...others].slice(0, KEPT)))
}
