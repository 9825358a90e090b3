// What the service commands need of the program that starts the machine's services.
import { spawnSync } from 'node:child_process'

export interface ServiceManager {
  readonly name: 'systemd' | 'OpenRC'
  /** Whether it is what runs this machine. */
  isHere(): boolean
  /** Its description of the agent. */
  readonly file: string
  readonly text: string
  readonly mode: number
  /** After the file has changed. */
  reload(): void
  /** At every start of the machine. */
  enable(): void
  /** Starts it, or ends it and starts it again. */
  restart(): void
  isRunning(): boolean
  /** Stops it, for good. */
  disable(): void
  /** How people read the agent's log. */
  readonly logCommand: string
}

/** A service command cannot do its work; the message says why and what would help. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
}

/** @throws {ServiceError} with what the tool said, unless it succeeds */
export function tool(command: string, ...args: readonly string[]): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status === 0) return
  throw new ServiceError(`${[command, ...args].join(' ')} failed: ${error?.message ?? `${stderr}${stdout}`.trim()}`)
}

export function succeeds(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
