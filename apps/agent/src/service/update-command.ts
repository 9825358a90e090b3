// `update` asks the running agent to update; `return` is what the launcher calls when a version on trial has ended.
import { readConfig } from '../config.ts'
import { UpdateFile } from '../device/update-file.ts'
import { managedBy, ownPackage } from '../own-package.ts'
import { ServiceError } from './manager.ts'
import { waitingVersion } from './packaged.ts'
import { readStatus } from './status-file.ts'
import { returnToPrevious } from './trial.ts'

/** @throws {ServiceError} when there is no agent to ask, or this user may not */
export function update(say: (line: string) => void): void {
  const own = ownPackage()
  if (own !== undefined && waitingVersion() === undefined) {
    throw new ServiceError(`This agent does not update itself: ${managedBy(own)}.`)
  }
  const status = readStatus()
  if (status === undefined) throw new ServiceError('The agent does not run as a service here.')
  try {
    process.kill(status.pid, 'SIGUSR2')
  } catch {
    throw new ServiceError('`bowline agent update` needs root (try sudo).')
  }
  say(`Asked the agent (process ${status.pid}) to update; see its log for the result.`)
}

const REASONS: Readonly<Record<string, { readonly text: string; readonly isTransient: boolean }>> = {
  interrupted: { text: 'the machine or the service was stopped while it was on trial', isTransient: true },
  ended: { text: 'it ended before it reached the server', isTransient: false },
}

/** @returns the exit status: 0 when the current version is one to start */
export function returnFromTrial(word: string, env: Readonly<Record<string, string | undefined>>): number {
  const reason = REASONS[word]
  if (reason === undefined) throw new TypeError('the reason is interrupted or ended')
  const { keyFile, updateKey } = readConfig(env, { singleUser: false, uid: process.geteuid?.() ?? 0 })
  const updates = new UpdateFile(`${keyFile}.updates.json`, updateKey)
  const before = returnToPrevious(updates, reason.text, reason.isTransient)
  if (before !== undefined) process.stderr.write(`Returned to ${before}: ${reason.text}.\n`)
  return 0
}
