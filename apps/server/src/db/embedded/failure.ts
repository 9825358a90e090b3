// Why the embedded PostgreSQL could not start, in words for the operator.
import { open } from 'node:fs/promises'

/** The message says what was tried, what went wrong and, where there is one, the way out. */
export class StartFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartFailed'
  }
}

/** Another living server works with the same data. */
export class AlreadyRunning extends StartFailed {
  /** Process id of the other server as it gave it; undefined when it could not be learned. */
  readonly holderPid: number | undefined
  constructor(message: string, holderPid: number | undefined) {
    super(message)
    this.name = 'AlreadyRunning'
    this.holderPid = holderPid
  }
}

const TAIL_BYTES = 4_096
const TAIL_LINES = 6

/** The last lines of a log file as one string; empty when there is no file. */
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
 * @param what the step that failed, as a sentence without full stop
 * @param said what the program printed, or a system error
 */
export function startFailed(what: string, said: string, place: string, cause?: unknown): StartFailed {
  if (/No space left on device|ENOSPC/.test(said)) {
    return new StartFailed(`${what}: the disk that holds ${place} is full. Free some space and start again.`, { cause })
  }
  return new StartFailed(said === '' ? `${what}.` : `${what}:\n${said}`, { cause })
}

/** Whether an error of `node:fs` says that the file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
