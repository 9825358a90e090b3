// File descriptors below Node's streams: pipes, and a check for readable data.
import koffi from 'koffi'
import { cMemory } from './memory.ts'
import { checked } from './system-error.ts'

const libc = koffi.load(null)
const pipe2: (fds: Buffer, flags: number) => number = libc.func('int pipe2(void *fds, int flags)')
const fcntl: (fd: number, command: number, ...value: ['int', number]) => number = libc.func(
  'int fcntl(int fd, int command, ...)',
)
const pollFds: (fds: Buffer, count: number, timeoutMs: number) => number = libc.func(
  'int poll(void *fds, unsigned long count, int timeoutMs)',
)

const O_CLOEXEC = 0o2_000_000
const F_SETPIPE_SZ = 1031
const POLLIN = 1

/** Both ends of a pipe, close-on-exec. */
export interface Pipe {
  readonly read: number
  readonly write: number
}

/**
 * @param bytes desired capacity; the kernel may refuse an unprivileged user, the pipe then keeps its 64 KiB
 * @throws {SystemError}
 */
export function openPipe(bytes: number): Pipe {
  const fds = cMemory(8)
  checked('pipe2', pipe2(fds, O_CLOEXEC))
  const pipe = { read: fds.readInt32LE(0), write: fds.readInt32LE(4) }
  fcntl(pipe.write, F_SETPIPE_SZ, 'int', bytes)
  return pipe
}

/** Whether a read of `fd` would return bytes immediately (an end of file alone does not count). */
export function readable(fd: number): boolean {
  const entry = cMemory(8)
  entry.writeInt32LE(fd, 0)
  entry.writeInt16LE(POLLIN, 4)
  return pollFds(entry, 1, 0) > 0 && (entry.readInt16LE(6) & POLLIN) !== 0
}
