// The service commands' view of the program that starts the machine's services.
import { spawnSync } from 'node:child_process'

export interface ServiceManager {
  readonly name: 'systemd' | 'OpenRC'
  /** Whether it runs this machine. */
  isHere(): boolean
  /** Its service definition of the agent. */
  readonly file: string
  /** The definition is a file of the package of this program, and is not written. */
  readonly isPackaged: boolean
  readonly text: string
  readonly mode: number
  /** Call after the file has changed. */
  reload(): void
  /** Starts it at every boot. */
  enable(): void
  /** Starts it, or restarts it when running. */
  restart(): void
  isRunning(): boolean
  /** Stops it permanently. */
  disable(): void
  /** The command to read the agent's log. */
  readonly logCommand: string
}

/** First line of the files that `install` writes, and replaces. */
export const WRITTEN = 'Written by `bowline agent install`'

/** A service command failed; the message contains the reason and advice. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
}

/** @throws {ServiceError} with the tool's output, unless it succeeds */
export function tool(command: string, ...args: readonly string[]): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status === 0) return
  throw new ServiceError(`${[command, ...args].join(' ')} failed: ${error?.message ?? `${stderr}${stdout}`.trim()}`)
}

export function succeeds(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
