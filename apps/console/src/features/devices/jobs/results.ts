// What a change of many devices has come to, and what comes after its end.
import type { DeviceJob } from '@bowline/contract/operations/fleet/device-jobs'
import { formatCount } from '../../../ui/text/numbers.ts'
import { jobMessages as texts } from './messages.ts'

/** Whether it was stopped, and how many devices failed; '' for neither. */
export function troubleOf({ state, failed }: DeviceJob): string {
  const stopped = state === 'stopped' ? [texts.stopped] : []
  return [...stopped, ...(failed > 0 ? [texts.failedLine(formatCount(failed))] : [])].join(' ')
}

/** Title of a change: its action while it runs, its result afterwards. */
export function titleOf({ state, action, total, done }: DeviceJob): string {
  return state === 'running' ? texts.titles[action](total) : texts.results[action](done)
}

/** Sentences about a change that has ended. */
export function resultOf(job: DeviceJob): string {
  return [texts.sentence(titleOf(job)), troubleOf(job)].filter(Boolean).join(' ')
}

/** How far a change is. */
export function partOf({ done, failed, total }: DeviceJob): string {
  return texts.part(formatCount(done + failed), formatCount(total))
}

export interface Ends {
  /** Changes that have been seen running. */
  readonly running: ReadonlySet<string>
  /** Changes that ran at the last look and have ended. */
  readonly ended: readonly DeviceJob[]
}

/** Changes that have ended since the last look. Those that had ended before the first one are no news. */
export function endsSince(running: ReadonlySet<string>, jobs: readonly DeviceJob[]): Ends {
  const now = jobs.filter(({ state }) => state === 'running').map(({ id }) => id)
  const ended = jobs.filter(({ id, state }) => state !== 'running' && running.has(id))
  return { running: new Set(now), ended }
}
