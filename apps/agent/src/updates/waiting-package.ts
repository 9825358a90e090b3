// The version that a package has brought while this one runs. A package is installed whether the server takes part or
// not: where the server would end the sessions that there are, the version waits for their end.
import type { Clock } from '@bowline/base/clock'
import type { Log } from '../log.ts'
import { packageIn, type PackageMarker } from '../own-package.ts'
import { PROGRAMS } from '../service/places.ts'
import { waitingVersion } from '../service/packaged.ts'
import { join } from 'node:path'

const LOOK_INTERVAL_MS = 10_000

/** @returns the version that waits; undefined: there is none */
export function waitingPackage(): PackageMarker | undefined {
  const name = waitingVersion()
  return name === undefined ? undefined : packageIn(join(PROGRAMS, name))
}

export interface HandoverParts {
  readonly log: Log
  /** @returns whether the server then leaves the links of this process open @throws {Error} when it cannot be asked */
  readonly announce: (release: number) => Promise<boolean | undefined>
  /** Whether something runs that a newer link cannot take over. */
  readonly isBusy: () => boolean
}

/**
 * Announces a version of a package to the server.
 * @returns whether it may start now: the server leaves the sessions that there are, or there are none
 */
export async function mayHandOver(parts: HandoverParts, release: number): Promise<boolean> {
  const { log, announce, isBusy } = parts
  try {
    if ((await announce(release)) === true || !isBusy()) return true
    log.warn('update.put-off', { release, reason: 'the server would end the sessions of this device now' })
  } catch (error) {
    // A version that cannot reach the server either would be given up.
    log.warn('update.put-off', { release, reason: error instanceof Error ? error.message : String(error) })
  }
  return false
}

/**
 * Calls `run` each time when a version waits and nothing runs here.
 * @returns cancels
 */
export function onceIdle(clock: Clock, isBusy: () => boolean, isWaiting: () => boolean, run: () => void): () => void {
  return clock.every(LOOK_INTERVAL_MS, () => {
    if (isWaiting() && !isBusy()) run()
  })
}
