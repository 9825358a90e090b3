// utmp(5), wtmp and lastlog, through libc: the source of who(1), last(1), write(1) and logname(1). Records have glibc's
// layout; on a libc without them (musl) the functions do nothing.
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { isIPv4, isIPv6 } from 'node:net'
import { optionalFunction } from './library.ts'
import { cMemory, cString } from './memory.ts'

const setutxent: (() => void) | undefined = optionalFunction('void setutxent(void)')
const pututxline: ((record: Buffer) => unknown) | undefined = optionalFunction('void *pututxline(const void *record)')
const endutxent: (() => void) | undefined = optionalFunction('void endutxent(void)')
const updwtmpx: ((file: Buffer, record: Buffer) => void) | undefined = optionalFunction(
  'void updwtmpx(const void *file, const void *record)',
)
const utmpxname: ((file: Buffer) => number) | undefined = optionalFunction('int utmpxname(const void *file)')

/** Platforms with 32-bit times for compatibility, and those with 64 bits (utmp(5)). */
const LAYOUTS: Readonly<
  Record<string, { bytes: number; seconds: number; microseconds: number; address: number; lastTime: 4 | 8 }>
> = {
  x64: { bytes: 384, seconds: 340, microseconds: 344, address: 348, lastTime: 4 },
  arm64: { bytes: 400, seconds: 344, microseconds: 352, address: 360, lastTime: 8 },
}
const USER_PROCESS = 7
const DEAD_PROCESS = 8
const LINE_BYTES = 32
const HOST_BYTES = 256

/** Paths of the files; replaced in tests. */
export interface RecordFiles {
  readonly utmp: string
  readonly wtmp: string
  readonly lastlog: string
}
const SYSTEM_FILES: RecordFiles = { utmp: '/var/run/utmp', wtmp: '/var/log/wtmp', lastlog: '/var/log/lastlog' }

export interface TerminalLogin {
  /** Path of the terminal. */
  readonly terminal: string
  readonly user: string
  readonly uid: number
  /** Address of the client; '' when unknown. */
  readonly address: string
}

export interface LastLogin {
  readonly at: Date
  /** Origin; '' when unknown. */
  readonly host: string
}

/**
 * Records a login in all three files; files that the system does not have are not created. Needs root.
 * @returns records the logout
 */
export function recordLogin(login: TerminalLogin, now: Date, files: RecordFiles = SYSTEM_FILES): (at: Date) => void {
  write({ ...login, type: USER_PROCESS }, now, files)
  writeLastLogin(login, now, files)
  return (at) => write({ terminal: login.terminal, user: '', address: '', type: DEAD_PROCESS }, at, files)
}

/** Time and origin of a user's last login; undefined for never. */
export function lastLogin(uid: number, files: RecordFiles = SYSTEM_FILES): LastLogin | undefined {
  const { lastTime } = layout() ?? { lastTime: 4 }
  const record = Buffer.alloc(lastTime + LINE_BYTES + HOST_BYTES)
  try {
    const fd = openSync(files.lastlog, 'r')
    try {
      if (readSync(fd, record, 0, record.length, uid * record.length) < record.length) return undefined
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
  const seconds = lastTime === 4 ? record.readInt32LE(0) : Number(record.readBigInt64LE(0))
  if (seconds === 0) return undefined
  const host = record.toString('utf8', lastTime + LINE_BYTES)
  return { at: new Date(seconds * 1_000), host: host.replace(/\0.*$/s, '') }
}

function write(
  { terminal, user, address, type }: Omit<TerminalLogin, 'uid'> & { type: number },
  at: Date,
  files: RecordFiles,
): void {
  const places = layout()
  if (!places) return
  const line = terminal.replace(/^\/dev\//, '')
  const record = cMemory(places.bytes)
  record.writeInt16LE(type, 0)
  record.writeInt32LE(process.pid, 4)
  record.write(line, 8, LINE_BYTES)
  // Terminals with long names differ at the end.
  record.write(line.slice(-4), 40, 4)
  record.write(user, 44, 32)
  record.write(address, 76, HOST_BYTES)
  record.writeInt32LE(Math.trunc(at.getTime() / 1_000), places.seconds)
  record.writeInt32LE((at.getTime() % 1_000) * 1_000, places.microseconds)
  addressBytes(address).copy(record, places.address)
  utmpxname?.(cString(files.utmp))
  setutxent?.()
  pututxline?.(record)
  endutxent?.()
  updwtmpx?.(cString(files.wtmp), record)
}

function writeLastLogin({ uid, terminal, address }: TerminalLogin, at: Date, files: RecordFiles): void {
  const { lastTime } = layout() ?? {}
  if (lastTime === undefined) return
  const record = Buffer.alloc(lastTime + LINE_BYTES + HOST_BYTES)
  record.writeInt32LE(Math.trunc(at.getTime() / 1_000), 0)
  record.write(terminal.replace(/^\/dev\//, ''), lastTime, LINE_BYTES)
  record.write(address, lastTime + LINE_BYTES, HOST_BYTES)
  try {
    // Written in place, and never created: a system without the file does not want it.
    const fd = openSync(files.lastlog, 'r+')
    try {
      writeSync(fd, record, 0, record.length, uid * record.length)
    } finally {
      closeSync(fd)
    }
  } catch {
    // No such file.
  }
}

/** In network byte order, as in `ut_addr_v6`: 4 bytes for IPv4. */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  if (!isIPv6(address)) return Buffer.alloc(0)
  const [head = '', tail] = address.split('::')
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const before = groups(head)
  const after = groups(tail ?? '')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  // IPv6 with an embedded dotted IPv4 address: too rare to be worth more code.
  if (address.includes('.')) return Buffer.alloc(0)
  const all = tail === undefined ? before : [...before, ...zeros, ...after]
  return Buffer.concat(all.map((group) => Buffer.from(group.padStart(4, '0'), 'hex')))
}

const layout = () => LAYOUTS[process.arch]
