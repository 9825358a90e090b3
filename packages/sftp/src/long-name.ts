// Formats a line like `ls -l`. The protocol leaves its format open; clients show it, and some even parse it.
import { Buffer } from '#buffer'

/** Types of files within a mode (inode(7)). */
export const FILE_TYPE = {
  mask: 0o170_000,
  regular: 0o100_000,
  folder: 0o040_000,
  link: 0o120_000,
  characters: 0o020_000,
  blocks: 0o060_000,
  pipe: 0o010_000,
  socket: 0o140_000,
} as const
const TYPES: Readonly<Record<number, string>> = {
  [FILE_TYPE.regular]: '-',
  [FILE_TYPE.folder]: 'd',
  [FILE_TYPE.link]: 'l',
  [FILE_TYPE.characters]: 'c',
  [FILE_TYPE.blocks]: 'b',
  [FILE_TYPE.pipe]: 'p',
  [FILE_TYPE.socket]: 's',
}

/** What the line says of a file. */
export interface NamedStats {
  readonly mode: number
  readonly nlink: number
  readonly uid: number
  readonly gid: number
  readonly size: number | bigint
  readonly mtime: Date
}

/** Names of ids; undefined where an id has none. */
export interface IdNames {
  user(uid: number): string | undefined
  group(gid: number): string | undefined
}
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const HALF_A_YEAR_MS = (365 * 24 * 60 * 60 * 1_000) / 2

/** @param now milliseconds since 1970 */
export function longName(name: Buffer, stats: NamedStats, names: IdNames, now = Date.now()): Buffer {
  const owner = (names.user(stats.uid) ?? String(stats.uid)).padEnd(8)
  const group = (names.group(stats.gid) ?? String(stats.gid)).padEnd(8)
  const links = String(stats.nlink).padStart(4)
  const size = String(stats.size).padStart(8)
  const line = `${modeText(stats.mode)} ${links} ${owner} ${group} ${size} ${dateText(stats.mtime, now)} `
  return Buffer.concat([Buffer.from(line), name])
}

/** Formats a mode like ls(1), for example `drwxr-sr-t`. */
export function modeText(mode: number): string {
  const bits = [6, 3, 0].map((shift) => triple(mode >> shift))
  const [user = '', group = '', others = ''] = bits
  return [
    TYPES[mode & FILE_TYPE.mask] ?? '?',
    special(user, mode & 0o4000, 's'),
    special(group, mode & 0o2000, 's'),
    special(others, mode & 0o1000, 't'),
  ].join('')
}

function triple(bits: number): string {
  return `${bits & 4 ? 'r' : '-'}${bits & 2 ? 'w' : '-'}${bits & 1 ? 'x' : '-'}`
}

function special(bits: string, set: number, letter: string): string {
  if (!set) return bits
  return bits.slice(0, 2) + (bits.endsWith('x') ? letter : letter.toUpperCase())
}

/** The time of day for recent files, the year for the rest. */
function dateText(date: Date, now: number): string {
  const day = `${MONTHS[date.getMonth()]} ${String(date.getDate()).padStart(2)}`
  const recent = now - HALF_A_YEAR_MS < date.getTime() && date.getTime() < now
  if (!recent) return `${day}  ${date.getFullYear()}`
  return `${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
