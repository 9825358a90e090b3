// The system's user database through libc, so that every name service switch module works (files, LDAP, SSSD…). The
// calls may wait for a network: they run on a worker thread.
import koffi from 'koffi'
import { cMemory, cString, stringInto } from './memory.ts'
import { SystemError } from './system-error.ts'
import { onWorker } from './worker.ts'

const libc = koffi.load(null)
type Lookup = (name: Buffer, record: Buffer, strings: Buffer, size: number, found: Buffer) => Promise<number>
const getpwnamR: Lookup = onWorker(
  libc.func('int getpwnam_r(const void *name, void *record, void *strings, size_t size, void *found)'),
)
const getspnamR: Lookup = onWorker(
  libc.func('int getspnam_r(const void *name, void *record, void *strings, size_t size, void *found)'),
)
const getgrouplist: (name: Buffer, group: number, groups: Buffer, count: Buffer) => Promise<number> = onWorker(
  libc.func('int getgrouplist(const void *name, uint32_t group, void *groups, void *count)'),
)

const MAX_STRINGS_BYTES = 1024 * 1024
const MAX_GROUPS = 65_536
const { ERANGE, ENOENT, ESRCH, EBADF, EPERM } = koffi.os.errno

/** A row of passwd(5). */
export interface PasswdEntry {
  readonly name: string
  readonly password: string
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
}

/** A row of shadow(5). Days since 1970-01-01, -1 where the field is empty. */
export interface ShadowEntry {
  readonly hash: string
  readonly changedDay: number
  readonly maximumDays: number
  readonly inactiveDays: number
  readonly expiresDay: number
}

/**
 * @param name as the user typed it; directories may return another spelling, which then counts
 * @returns undefined when there is no such user
 * @throws {SystemError} when the database cannot be read
 */
export async function passwdEntry(name: string): Promise<PasswdEntry | undefined> {
  const row = await lookUp('getpwnam_r', getpwnamR, name)
  if (!row) return undefined
  const { record, strings } = row
  return {
    name: stringInto(strings, record, 0),
    password: stringInto(strings, record, 8),
    uid: record.readUInt32LE(16),
    gid: record.readUInt32LE(20),
    home: stringInto(strings, record, 32),
    shell: stringInto(strings, record, 40),
  }
}

/**
 * @param name as spelled by {@link passwdEntry}
 * @returns undefined when the user has no row
 * @throws {SystemError} when the database cannot be read
 */
export async function shadowEntry(name: string): Promise<ShadowEntry | undefined> {
  const row = await lookUp('getspnam_r', getspnamR, name)
  if (!row || stringInto(row.strings, row.record, 0) !== name) return undefined
  const { record, strings } = row
  const days = (offset: number) => Number(record.readBigInt64LE(offset))
  return {
    hash: stringInto(strings, record, 8),
    changedDay: days(16),
    maximumDays: days(32),
    inactiveDays: days(48),
    expiresDay: days(56),
  }
}

/** All groups of a user, `primary` included. */
export async function groupsOf(name: string, primary: number): Promise<number[]> {
  for (let size = 64; size <= MAX_GROUPS; size *= 4) {
    const groups = cMemory(size * 4)
    const count = cMemory(4)
    count.writeInt32LE(size)
    if ((await getgrouplist(cString(name), primary, groups, count)) < 0) continue
    return Array.from({ length: count.readInt32LE(0) }, (_, index) => groups.readUInt32LE(index * 4))
  }
  throw new RangeError(`user ${name} is in more than ${MAX_GROUPS} groups`)
}

/** Retries with growing memory for the strings. */
async function lookUp(
  call: string,
  ask: Lookup,
  name: string,
): Promise<{ record: Buffer; strings: Buffer } | undefined> {
  if (name === '' || name.includes('\0')) return undefined
  for (let size = 4096; ; size *= 4) {
    const record = cMemory(128)
    const strings = cMemory(size)
    const found = cMemory(8)
    const failure = await ask(cString(name), record, strings, size, found)
    if (failure === ERANGE && size < MAX_STRINGS_BYTES) continue
    // The manual page allows these for "not found" as well.
    if ([ENOENT, ESRCH, EBADF, EPERM].includes(failure)) return undefined
    if (failure !== 0) throw new SystemError(call, failure)
    return found.readBigUInt64LE(0) === 0n ? undefined : { record, strings }
  }
}
