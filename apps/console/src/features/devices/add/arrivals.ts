// Finds the devices that registered while the add-device dialog was open. Pure functions.
import type { Device } from '@bowline/contract/schemas/device'

/** Snapshot of the pending devices when the dialog opens. */
export interface Baseline {
  readonly known: ReadonlySet<string>
  /** Newest `created_at` among them; '' when none was pending. */
  readonly newest: string
}

export function baselineOf(pending: readonly Device[]): Baseline {
  const newest = pending.reduce((latest, device) => (device.created_at > latest ? device.created_at : latest), '')
  return { known: new Set(pending.map((device) => device.uid)), newest }
}

/**
 * Adds to `arrivals` the uids of devices that registered after the baseline, in registration order. An older device
 * that only now moved onto the page of pending devices does not count.
 */
export function withArrivals(
  arrivals: readonly string[],
  baseline: Baseline,
  pending: readonly Device[],
): readonly string[] {
  const fresh = pending
    .filter((device) => !baseline.known.has(device.uid) && device.created_at >= baseline.newest)
    .map((device) => device.uid)
    .filter((uid) => !arrivals.includes(uid))
    .reverse()
  return fresh.length ? [...arrivals, ...fresh] : arrivals
}
