// The parts of updates in a running agent: its trial while it is a new version, and the way to the next one.
import type { Clock } from '@bowline/base/clock'
import type { AgentFacts } from '@bowline/link/registration-proof'
import type { AgentConfig } from '../config.ts'
import { UpdateFile } from '../device/update-file.ts'
import type { Log } from '../log.ts'
import { stopWithParent } from '../native/parent.ts'
import { launcherPid } from '../service/launcher.ts'
import { endTrial, isOnTrial } from '../service/trial.ts'
import { ownRelease, TRIAL_MS, Updater } from './updater.ts'

/** Longest reason that servers read. */
const MAX_REASON = 300

export interface UpdatesParts {
  readonly config: AgentConfig
  readonly log: Log
  readonly clock: Clock
  readonly version: string
  /** Keeps what runs here until it ends, and then ends the process; `isDecided` tells when another one has taken over. */
  readonly handOver: (isDecided: () => boolean) => void
}

export interface Updates {
  /** The server has accepted a link. */
  linked(): void
  /** Report to the server. */
  facts(): AgentFacts
  /** Updates to what the server offers. Never rejects. */
  run(): Promise<void>
}

export function createUpdates({ config, log, clock, version, handOver }: UpdatesParts): Updates {
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
    handOver: () => handOver(() => updater.isDecided),
  })
  return {
    linked() {
      if (!onTrial || !isOnTrial()) return
      cancel()
      const release = ownRelease()
      endTrial(updates, release)
      log.info('update.confirmed', { release })
    },
    facts() {
      const obstacle = Updater.obstacle(updates)
      const { attempt } = updates
      const failed =
        attempt?.reason === undefined
          ? undefined
          : { release: attempt.release, reason: attempt.reason.slice(0, MAX_REASON) }
      return { release: ownRelease(), ...(obstacle === undefined ? {} : { obstacle }), ...(failed ? { failed } : {}) }
    },
    run: () => updater.run(),
  }
}

export function updateFileOf({ keyFile, updateKey }: Pick<AgentConfig, 'keyFile' | 'updateKey'>): UpdateFile {
  return new UpdateFile(`${keyFile}.updates.json`, updateKey)
}
