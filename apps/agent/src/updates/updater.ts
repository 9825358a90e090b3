// Updates the agent: finds an offer, prepares it, starts it beside this process, and watches whether it reaches the
// server. This process keeps its sessions meanwhile, and if it does not, returns to the version that runs here.
import type { Clock } from '@bowline/base/clock'
import type { UpdateFile } from '../device/update-file.ts'
import type { Server } from '../device/server-api.ts'
import type { Log } from '../log.ts'
import { managedBy, type PackageMarker } from '../own-package.ts'
import { ownBundle } from '../own-program.ts'
import { launcherPid } from '../service/launcher.ts'
import { beginTrial, returnToPrevious, versionBefore } from '../service/trial.ts'
import { currentVersion, removeOtherVersions } from '../service/versions.ts'
import { NO_UPDATE_KEY, findOffer } from './offer.ts'
import { ownRelease } from './own-release.ts'
import { prepare } from './prepare.ts'
import { mayHandOver, onceIdle, waitingPackage } from './waiting-package.ts'

/** A new version must have reached the server by then. */
export const TRIAL_MS = 180_000
const LOOK_INTERVAL_MS = 1_000

export interface UpdaterParts {
  readonly server: Server
  readonly userAgent: string
  readonly updates: UpdateFile
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** Announces to the server what is about to be started. @returns false: sessions would end with it */
  readonly announce: (release: number) => Promise<boolean | undefined>
  /** A newer version runs beside this process, which keeps what it has, and ends with it. */
  readonly handOver: () => void
  /** Whether something runs that a newer link cannot take over. */
  readonly isBusy: () => boolean
  /** Package of this program; undefined: it was installed otherwise. */
  readonly own: PackageMarker | undefined
}

export class Updater {
  readonly #parts: UpdaterParts
  #isBusy = false
  #isDecided = false
  #cancelLooks: (() => void) | undefined

  constructor(parts: UpdaterParts) {
    this.#parts = parts
  }

  /** Why this agent does not update itself; undefined: it does. @param own package of this program */
  static obstacle(updates: UpdateFile, own: PackageMarker | undefined): string | undefined {
    if (own !== undefined) return managedBy(own)
    if (updates.key === undefined) return NO_UPDATE_KEY
    if (ownBundle() === undefined || launcherPid() === undefined) return 'it does not run as the installed service'
    return undefined
  }

  /** Whether the version that this process has started has been confirmed or given up. */
  get isDecided(): boolean {
    return this.#isDecided
  }

  /** Updates to what the server offers, if it may. Never rejects. */
  async run(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      this.#isBusy = await this.#update()
    } catch (error) {
      this.#isBusy = false
      this.#parts.log.error('update.failed', { reason: error instanceof Error ? error.message : String(error) })
    }
  }

  /** @returns whether another process takes over: then this one does no further update */
  async #update(): Promise<boolean> {
    const { updates, log } = this.#parts
    const launcher = launcherPid()
    const waiting = waitingPackage()
    if (waiting !== undefined && launcher !== undefined) return this.#followPackage(launcher, waiting)
    const obstacle = Updater.obstacle(updates, this.#parts.own)
    if (obstacle !== undefined || launcher === undefined) {
      log.warn('update.not-here', { reason: obstacle })
      return false
    }
    // This version is on trial itself.
    if (versionBefore() !== undefined) return false
    const running = ownRelease()
    const offer = await findOffer({
      ...this.#parts,
      running,
      platform: `linux-${process.arch}`,
      keyChanged: (key) => log.warn('update.key-changed', { key }),
    })
    if ('reason' in offer) {
      log[offer.isAttack ? 'error' : 'info'](offer.isAttack ? 'update.refused' : 'update.none', {
        reason: offer.reason,
      })
      return false
    }
    const { release, version, digest } = offer
    log.info('update.found', { release, version, running })
    removeOtherVersions([])
    let name: string
    try {
      name = await prepare(this.#parts, offer)
    } catch (error) {
      updates.begin(release, digest)
      updates.failed(error instanceof Error ? error.message : String(error), true)
      throw error
    }
    if (name === currentVersion()) {
      updates.worked(release)
      log.info('update.same-program', { release })
      return false
    }
    if ((await this.#parts.announce(release)) === false) {
      log.warn('update.put-off', { release, reason: 'the server would end the sessions of this device now' })
      return false
    }
    updates.begin(release, digest)
    log.info('update.started', { release, version, program: name })
    this.#start(launcher, name, release)
    return true
  }

  /** Hands over to the version that a package has brought; later, when that would end sessions. */
  async #followPackage(launcher: number, { program, release }: PackageMarker): Promise<boolean> {
    const { clock, isBusy, log } = this.#parts
    const isWaiting = (): boolean => waitingPackage() !== undefined
    this.#cancelLooks ??= onceIdle(clock, isBusy, isWaiting, () => void this.run())
    if (versionBefore() !== undefined || !(await mayHandOver(this.#parts, release))) return false
    this.#cancelLooks()
    log.info('update.started', { release, program })
    this.#start(launcher, program, release)
    return true
  }

  #start(launcher: number, name: string, release: number): void {
    beginTrial(name)
    this.#parts.handOver()
    process.kill(launcher, 'SIGUSR1')
    this.#watch(launcher, release)
  }

  #watch(launcher: number, release: number): void {
    const { clock, log, updates } = this.#parts
    watchTrial(
      clock,
      () => versionBefore() !== undefined,
      (isOver) => {
        this.#isDecided = true
        if (!isOver) {
          returnToPrevious(updates, 'it did not reach the server within three minutes', false)
          process.kill(launcher, 'SIGUSR2')
        }
        const reason = reasonOf(updates)
        if (reason === undefined) log.info('update.done', { release })
        else log.error('update.returned', { release, reason })
      },
    )
  }
}

/**
 * Watches a version on trial.
 * @param decided called once: `isOver` when the trial has ended by itself, else when its time is up
 */
export function watchTrial(clock: Clock, isOnTrial: () => boolean, decided: (isOver: boolean) => void): void {
  const deadline = clock.monotonic() + TRIAL_MS
  const cancel = clock.every(LOOK_INTERVAL_MS, () => {
    const isOver = !isOnTrial()
    if (!isOver && clock.monotonic() < deadline) return
    cancel()
    decided(isOver)
  })
}

/** Why the last attempt came to nothing; undefined: it did not. Never throws. */
function reasonOf(updates: UpdateFile): string | undefined {
  try {
    return updates.attempt?.reason
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
