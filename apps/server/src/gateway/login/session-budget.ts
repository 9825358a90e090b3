// Limits concurrent sessions: on this node, in one namespace, and with one account of one device.
import type { LoginTarget } from '../../devices/presence.ts'

export interface SessionLimits {
  readonly perNode: number
  readonly perNamespace: number
  /** Per account of a device. */
  readonly perAccount: number
}

export interface SessionBudget {
  /** Takes a slot. @returns release; undefined when a limit is reached */
  take(target: LoginTarget, user: string): (() => void) | undefined
}

export function createSessionBudget(limits: SessionLimits): SessionBudget {
  const counts = new Map<string, number>()
  const change = (key: string, by: 1 | -1): void => {
    const count = (counts.get(key) ?? 0) + by
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
  }
  return {
    take(target, user) {
      const quotas: [string, number][] = [
        ['node', limits.perNode],
        [`namespace ${target.tenant}`, limits.perNamespace],
        [`account ${target.uid} ${user}`, limits.perAccount],
      ]
      if (quotas.some(([key, limit]) => (counts.get(key) ?? 0) >= limit)) return undefined
      for (const [key] of quotas) change(key, 1)
      let held = true
      return () => {
        if (!held) return
        held = false
        for (const [key] of quotas) change(key, -1)
      }
    },
  }
}
