// Numbers of the whole device from the texts of /proc. Pure.

/** Time of all CPUs together since the device runs, in ticks. */
export interface ProcessorTime {
  readonly cpus: number
  readonly busy: number
  readonly total: number
}

/**
 * Reads `/proc/stat` (proc_stat(5)). A CPU that waits for a disk is idle; one that a hypervisor has taken away is busy.
 * @throws {Error} when it is something else
 */
export function parseProcessorTime(stat: string): ProcessorTime {
  const ticks = /^cpu +(.+)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? []
  // Guests are in user time already.
  const [user = Number.NaN, nice = 0, system = 0, idle = Number.NaN, waiting = 0, ...interrupts] = ticks.slice(0, 8)
  const total = interrupts.reduce((sum, time) => sum + time, user + nice + system + idle + waiting)
  if (!Number.isFinite(total)) throw new Error('/proc/stat has no times of the processors')
  return { cpus: Math.max(1, stat.match(/^cpu\d+ /gm)?.length ?? 1), busy: total - idle - waiting, total }
}

/** Share of the time between two readings in which the CPUs were busy, 0 to 1; 0 where no time has passed. */
export function busyShare(before: ProcessorTime, after: ProcessorTime): number {
  // Times of a CPU that was taken away are missing from then on.
  const [busy, total] = [after.busy - before.busy, after.total - before.total]
  return total > 0 ? Math.min(1, Math.max(0, busy / total)) : 0
}

/**
 * Reads `/proc/meminfo` (proc_meminfo(5)). Available is what programs can get without swapping.
 * @throws {Error} when it is something else
 */
export function parseMemory(meminfo: string): { totalBytes: number; availableBytes: number } {
  const bytes = (name: string): number | undefined => {
    const kibibytes = new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(meminfo)?.[1]
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1_024
  }
  const totalBytes = bytes('MemTotal')
  if (totalBytes === undefined) throw new Error('/proc/meminfo has no MemTotal')
  // Kernels before 3.14 do not estimate it.
  const estimate = (bytes('MemFree') ?? 0) + (bytes('Buffers') ?? 0) + (bytes('Cached') ?? 0)
  return { totalBytes, availableBytes: Math.min(totalBytes, bytes('MemAvailable') ?? estimate) }
}

/**
 * Types of filesystems on the device's own storage. Others are left out: network filesystems, where statfs(2) can block
 * forever, and images that are always full.
 */
const KEPT = new Set([
  'bcachefs',
  'btrfs',
  'exfat',
  'ext2',
  'ext3',
  'ext4',
  'f2fs',
  'jffs2',
  'jfs',
  'nilfs2',
  'ntfs3',
  'overlay',
  'reiserfs',
  'ubifs',
  'vfat',
  'xfs',
  'zfs',
])

/** Mount points of writable filesystems, one for each, in the order of `/proc/self/mounts` (proc_pid_mounts(5)). */
export function parseMounts(mounts: string): string[] {
  const paths = new Map<string, string>()
  for (const line of mounts.split('\n')) {
    const [source = '', path = '', type = '', options = ''] = line.split(' ')
    if (!KEPT.has(type) || !options.split(',').includes('rw')) continue
    // Each container has its own overlay on the host's filesystem, which is counted: only the root may be one.
    if (type === 'overlay' && path !== '/') continue
    // A second mount of a device is a part of the same filesystem.
    const filesystem = type === 'overlay' ? path : source
    if (!paths.has(filesystem)) paths.set(filesystem, unescape(path))
  }
  return [...paths.values()]
}

/** Spaces, tabs, line feeds and backslashes are octal. */
function unescape(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}
