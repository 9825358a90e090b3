// Start failures of the embedded PostgreSQL, described for the operator.
import { open } from 'node:fs/promises'

/** The message names the attempt, the failure and, if there is one, the remedy. */
export class StartFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartFailed'
  }
}

/** Another live server uses the same data. */
export class AlreadyRunning extends StartFailed {
  /** Process id reported by the other server; undefined when unknown. */
  readonly holderPid: number | undefined
  constructor(message: string, holderPid: number | undefined) {
    super(message)
    this.name = 'AlreadyRunning'
    this.holderPid = holderPid
  }
}

const TAIL_BYTES = 4_096
const TAIL_LINES = 6

/** Last lines of a log file; empty when it does not exist. */
export async function logTail(file: string): Promise<string> {
  try {
    const handle = await open(file, 'r')
    try {
      const { size } = await handle.stat()
      const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES))
      await handle.read(buffer, 0, buffer.length, size - buffer.length)
      return buffer.toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n')
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}

/**
 * @param what the failed step, as a sentence without full stop
 * @param said output of the program, or a system error
 */
export function startFailed(what: string, said: string, place: string, cause?: unknown): StartFailed {
  if (/No space left on device|ENOSPC/.test(said)) {
    return new StartFailed(`${what}: the disk that holds ${place} is full. Free some space and start again.`, { cause })
  }
  return new StartFailed(said === '' ? `${what}.` : `${what}:\n${said}`, { cause })
}

/** True for a `node:fs` error that means a missing file or folder. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
