// Failures of system calls, with the name of the call and of the errno.
import koffi from 'koffi'

const names = new Map(Object.entries(koffi.os.errno).map(([name, number]) => [number, name]))

/** A system call failed. `code` is the errno's name, for example `ENOENT`. */
export class SystemError extends Error {
  readonly code: string
  constructor(call: string, errno: number) {
    const code = names.get(errno) ?? `errno ${errno}`
    super(`${call}: ${code}`)
    this.name = 'SystemError'
    this.code = code
  }
}

/**
 * Passes a result through unless it is negative.
 * @throws {SystemError} from errno
 */
export function checked(call: string, result: number): number {
  if (result < 0) throw new SystemError(call, koffi.errno())
  return result
}
