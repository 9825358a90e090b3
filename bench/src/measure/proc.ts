// CPU time and memory of a process, from /proc (proc(5)). The parsers are pure.
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'

/** Clock ticks per second in /proc/<pid>/stat. */
const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** CPU seconds used by all threads of a process, in steps of 10 ms. */
export async function cpuSeconds(pid: number): Promise<number> {
  return parseCpuTicks(await readFile(`/proc/${pid}/stat`, 'utf8')) / ticksPerSecond
}

/**
 * utime and stime (fields 14 and 15) of a line of /proc/<pid>/stat, in clock ticks. The second field is the program's
 * name in parentheses and may itself contain spaces and parentheses.
 */
export function parseCpuTicks(line: string): number {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  if (!Number.isInteger(user) || !Number.isInteger(system)) throw new Error(`not a line of /proc/<pid>/stat: ${line}`)
  return user + system
}

/**
 * Bytes. `resident`: currently in memory, including the program file. `anonymous`: allocated by the process itself
 * (heap, buffers, TLS); unlike PSS it does not change when other processes of the same program start and exit.
 */
export interface Memory {
  readonly resident: number
  readonly anonymous: number
}

export async function memoryOf(pid: number): Promise<Memory> {
  return parseMemory(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))
}

/** Rss and Anonymous of /proc/<pid>/smaps_rollup. */
export function parseMemory(text: string): Memory {
  const bytesOf = (name: string): number => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]
    if (kib === undefined) throw new Error(`smaps_rollup has no ${name}`)
    return Number(kib) * 1024
  }
  return { resident: bytesOf('Rss'), anonymous: bytesOf('Anonymous') }
}
