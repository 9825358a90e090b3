// The open files limit of user processes. Node raises its own soft limit to the hard one before any code of ours runs;
// programs that close or select(2) all possible descriptors suffer from that.
import { existsSync, readFileSync } from 'node:fs'
import koffi from 'koffi'
import { cMemory } from './memory.ts'
import type { CommandLine } from './command-line.ts'
import { checked } from './system-error.ts'

const libc = koffi.load(null)
const getrlimit: (resource: number, limit: Buffer) => number = libc.func('int getrlimit(int resource, void *limit)')
const setrlimit: (resource: number, limit: Buffer) => number = libc.func(
  'int setrlimit(int resource, const void *limit)',
)

const RLIMIT_NOFILE = 7
/** Limits that may be too low for Node itself, with their prlimit(1) options. */
const HARMFUL: readonly (readonly [resource: number, option: string])[] = [
  [0, '--cpu'],
  [2, '--data'],
  [9, '--as'],
]
const PRLIMIT_PATHS = ['/usr/bin/prlimit', '/bin/prlimit']
/**
 * The kernel's default, and systemd's for services (DefaultLimitNOFILE); systemd's own limit, as process 1, differs.
 */
const USUAL_OPEN_FILES = 1_024n
const INFINITY = 2n ** 64n - 1n

/**
 * The soft limit that this process was started with: its parent's, unless that is the init system, which has a
 * different limit and gives its services the usual one.
 */
export function openFilesAtStart(): bigint {
  atStart ??= openFilesOf(process.ppid) ?? USUAL_OPEN_FILES
  return atStart
}
let atStart: bigint | undefined

function openFilesOf(pid: number): bigint | undefined {
  if (pid <= 1) return undefined
  try {
    const soft = /^Max open files\s+(\d+|unlimited)\s/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))?.[1]
    if (soft === undefined) return undefined
    return soft === 'unlimited' ? INFINITY : BigInt(soft)
  } catch {
    return undefined
  }
}

/**
 * Sets the soft limit of open files, capped at the hard limit.
 * @returns restores the former limit
 * @throws {SystemError}
 */
export function limitOpenFiles(soft: bigint): () => void {
  const own = limitOf(RLIMIT_NOFILE)
  const limited = Buffer.from(own)
  const hard = own.readBigUInt64LE(8)
  limited.writeBigUInt64LE(soft < hard ? soft : hard, 0)
  checked('setrlimit', setrlimit(RLIMIT_NOFILE, limited))
  return () => void setrlimit(RLIMIT_NOFILE, own)
}

/**
 * Saves limits of this process that would break it if they were lowered for its children.
 * @returns `take`: restores them, and returns the prlimit(1) options to set for each child instead
 */
export function keepOwnLimits(): { take(): string[] } {
  const own = HARMFUL.map(([resource]) => limitOf(resource))
  return {
    take: () =>
      HARMFUL.flatMap(([resource, option], index) => {
        const [before, now] = [own[index], limitOf(resource)]
        if (!before || before.equals(now) || prlimitPath() === undefined) return []
        if (setrlimit(resource, before) !== 0) return []
        return [`${option}=${[0, 8].map((at) => shown(now.readBigUInt64LE(at))).join(':')}`]
      }),
  }
}

/** Prefixes a command line with lowered limits. @param options from {@link keepOwnLimits} */
export function underLimits(command: CommandLine, options: readonly string[]): CommandLine {
  const prlimit = prlimitPath()
  if (options.length === 0 || prlimit === undefined) return command
  return { path: prlimit, argv: ['prlimit', ...options, '--', command.path, ...command.argv.slice(1)] }
}

function prlimitPath(): string | undefined {
  return PRLIMIT_PATHS.find((path) => existsSync(path))
}

function limitOf(resource: number): Buffer {
  const limit = cMemory(16)
  checked('getrlimit', getrlimit(resource, limit))
  return limit
}

function shown(value: bigint): string {
  return value === INFINITY ? 'unlimited' : String(value)
}
