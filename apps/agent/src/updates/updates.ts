// The parts of updates in a running agent: its trial while it is a new version, and the way to the next one.
import type { Clock } from '@bowline/base/clock'
import type { AgentFacts } from '@bowline/link/registration-proof'
import type { AgentConfig } from '../config.ts'
import { UpdateFile } from '../device/update-file.ts'
import type { Log } from '../log.ts'
import { ownPackage, type PackageMarker } from '../own-package.ts'
import { stopWithParent } from '../native/parent.ts'
import { launcherPid } from '../service/launcher.ts'
import { endTrial, isOnTrial } from '../service/trial.ts'
import { ownRelease } from './own-release.ts'
import { TRIAL_MS, Updater } from './updater.ts'
import { waitingPackage } from './waiting-package.ts'

/** Longest texts that servers read. */
const MAX_OBSTACLE = 200
const MAX_REASON = 300

export interface UpdatesParts {
  readonly config: AgentConfig
  readonly log: Log
  readonly clock: Clock
  readonly version: string
  /** Announces an update. @returns whether the server leaves the links of this process open then; undefined: it does not tell */
  readonly announce: (release: number) => Promise<boolean | undefined>
  /** Keeps what runs here until it ends, and then ends the process; `isDecided` tells when another one has taken over. */
  readonly handOver: (isDecided: () => boolean) => void
  /** Whether something runs here that a newer link cannot take over. */
  readonly isBusy: () => boolean
  /** Package of this program; default: what lies beside it. */
  readonly own?: PackageMarker | undefined
}

export interface Updates {
  /** The server has accepted a link. */
  linked(): void
  /** Report to the server. Never throws: a device without a report could not register. */
  facts(): AgentFacts
  /** Updates to what the server offers. Never rejects. */
  run(): Promise<void>
}

export function createUpdates(parts: UpdatesParts): Updates {
  const { config, log, clock, version, announce, handOver, isBusy, own = ownPackage() } = parts
  const updates = updateFileOf(config)
  if (launcherPid() !== undefined) stopWithParent()
  const onTrial = isOnTrial()
  // The process that started this one watches it, unless that has ended in the meantime.
  let cancel = (): void => {}
  if (onTrial) {
    cancel = clock.after(TRIAL_MS + 60_000, () => {
      if (isOnTrial()) process.exit(1)
    })
  }
  const updater = new Updater({
    server: config.server,
    userAgent: `bowline-agent/${version}`,
    updates,
    clock,
    log,
    signal: new AbortController().signal,
    announce,
    handOver: () => handOver(() => updater.isDecided),
    isBusy,
    own,
  })
  return {
    linked() {
      if (!onTrial || !isOnTrial()) {
        // Put off by an earlier process of this version, or by a server that knows the release now.
        if (waitingPackage() !== undefined) void updater.run()
        return
      }
      cancel()
      const release = ownRelease()
      try {
        endTrial(updates, release)
        log.info('update.confirmed', { release })
      } catch (error) {
        // Unknown which releases have run here: the version before takes over again, and reports the obstacle.
        log.error('update.unconfirmed', { release, reason: error instanceof Error ? error.message : String(error) })
        process.exit(1)
      }
    },
    facts() {
      const release = ownRelease()
      try {
        const obstacle = Updater.obstacle(updates, own)
        const { failure } = updates
        const failed = failure && { release: failure.release, reason: oneLine(failure.reason, MAX_REASON) }
        return { release, ...(obstacle === undefined ? {} : { obstacle }), ...(failed ? { failed } : {}) }
      } catch (error) {
        // A damaged file, or one of a newer version.
        return { release, obstacle: oneLine(error instanceof Error ? error.message : String(error), MAX_OBSTACLE) }
      }
    },
    run: () => updater.run(),
  }
}

export function updateFileOf({ keyFile, updateKey }: Pick<AgentConfig, 'keyFile' | 'updateKey'>): UpdateFile {
  return new UpdateFile(`${keyFile}.updates.json`, updateKey)
}

/** Text that a server accepts: it refuses registrations with NUL characters or halves of surrogate pairs. */
function oneLine(text: string, length: number): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, length)
    .toWellFormed()
}
