// Devices and sessions opened most recently in this browser, by namespace.
import { readSetting, writeSetting } from '../../platform/local-setting.ts'

const KEPT = 5

export interface Recent {
  readonly uid: string
  readonly name: string
}

export interface RecentList {
  /** Newest first. Unreadable storage counts as empty. */
  readonly of: (tenant: string) => readonly Recent[]
  /** Puts one first. */
  readonly remember: (tenant: string, one: Recent) => void
}

/** @param setting name in this browser, before the namespace */
function createRecentList(setting: string): RecentList {
  const nameOf = (tenant: string): string => `${setting}.${tenant}`
  const of = (tenant: string): readonly Recent[] => {
    try {
      const stored: unknown = JSON.parse(readSetting(nameOf(tenant)) ?? '[]')
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
  return {
    of,
    remember(tenant, { uid, name }) {
      const others = of(tenant).filter((each) => each.uid !== uid)
      writeSetting(nameOf(tenant), JSON.stringify([{ uid, name }, ...others].slice(0, KEPT)))
    },
  }
}

/** Devices whose page, terminal or files were opened. */
export const recentDevices = createRecentList('bowline.recent')

/** Sessions whose page or recording was opened. */
export const recentSessions = createRecentList('bowline.recent-sessions')
