// Pseudo-terminals: opening, size, and line settings (termios of Linux; layout and numbers are the same on x64 and
// arm64). All calls work on the master side.
import { closeSync } from 'node:fs'
import koffi from 'koffi'
import { cMemory } from './memory.ts'
import { checked, SystemError } from './system-error.ts'

const libc = koffi.load(null)
const posixOpenpt: (flags: number) => number = libc.func('int posix_openpt(int flags)')
const grantpt: (fd: number) => number = libc.func('int grantpt(int fd)')
const unlockpt: (fd: number) => number = libc.func('int unlockpt(int fd)')
const ptsnameR: (fd: number, name: Buffer, size: number) => number = libc.func(
  'int ptsname_r(int fd, void *name, size_t size)',
)
const tcgetattr: (fd: number, termios: Buffer) => number = libc.func('int tcgetattr(int fd, void *termios)')
const tcsetattr: (fd: number, actions: number, termios: Buffer) => number = libc.func(
  'int tcsetattr(int fd, int actions, const void *termios)',
)
const ioctlMemory: (fd: number, request: number, ...memory: ['void *', Buffer]) => number = libc.func(
  'int ioctl(int fd, unsigned long request, ...)',
)
const ioctlNumber: (fd: number, request: number, ...value: ['int', number]) => number = libc.func(
  'int ioctl(int fd, unsigned long request, ...)',
)

const O_RDWR = 2
const O_NOCTTY = 0o400
const O_CLOEXEC = 0o2_000_000
const O_NONBLOCK = 0o4_000
const TIOCSWINSZ = 0x5414
const TIOCSIG = 0x40045436
const TCSANOW = 0

/** Offsets of `struct termios`; its control characters start at 17. */
const FLAGS = { input: 0, output: 4, control: 8, local: 12 } as const
const CONTROL_CHARACTERS = 17
export type TermiosField = keyof typeof FLAGS

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
  /** Pixels, 0 when unknown. */
  readonly width: number
  readonly height: number
}

export interface Terminal {
  /** File descriptor of the master side: close-on-exec, non-blocking. */
  readonly master: number
  /** Path of the slave, for example `/dev/pts/3`. */
  readonly path: string
}

/**
 * Opens a new pseudo-terminal; the slave belongs to the caller's effective user.
 * @throws {SystemError}
 */
export function openTerminal(): Terminal {
  const master = checked('posix_openpt', posixOpenpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK))
  try {
    checked('grantpt', grantpt(master))
    checked('unlockpt', unlockpt(master))
    const name = cMemory(128)
    const failure = ptsnameR(master, name, name.length)
    if (failure !== 0) throw new SystemError('ptsname_r', failure)
    return { master, path: name.toString('utf8', 0, name.indexOf(0)) }
  } catch (error) {
    closeSync(master)
    throw error
  }
}

/** Sizes above 65535 are capped (`struct winsize` has 16-bit fields). */
export function setTerminalSize(master: number, size: TerminalSize): void {
  const winsize = cMemory(8)
  const fields = [size.rows, size.columns, size.width, size.height]
  fields.forEach((value, index) => winsize.writeUInt16LE(Math.min(value, 0xffff), index * 2))
  checked('TIOCSWINSZ', ioctlMemory(master, TIOCSWINSZ, 'void *', winsize))
}

/** Sends a signal to the terminal's foreground process group, as a key press would. */
export function signalForeground(master: number, signal: number): void {
  checked('TIOCSIG', ioctlNumber(master, TIOCSIG, 'int', signal))
}

/** The line settings of a terminal while being changed; nothing takes effect before {@link TerminalSettings.apply}. */
export class TerminalSettings {
  readonly #master: number
  readonly #termios = cMemory(60)

  /** @throws {SystemError} */
  constructor(master: number) {
    this.#master = master
    checked('tcgetattr', tcgetattr(master, this.#termios))
  }

  has(field: TermiosField, bit: number): boolean {
    return (this.#termios.readUInt32LE(FLAGS[field]) & bit) !== 0
  }

  set(field: TermiosField, bit: number, on: boolean): void {
    const flags = this.#termios.readUInt32LE(FLAGS[field])
    this.#termios.writeUInt32LE((on ? flags | bit : flags & ~bit) >>> 0, FLAGS[field])
  }

  /** `index` as in `c_cc`; 0 disables the character. */
  setCharacter(index: number, value: number): void {
    this.#termios.writeUInt8(value, CONTROL_CHARACTERS + index)
  }

  /** @throws {SystemError} */
  apply(): void {
    checked('tcsetattr', tcsetattr(this.#master, TCSANOW, this.#termios))
  }
}
