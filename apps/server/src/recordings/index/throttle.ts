// Lets a background thread yield to the others of its process: where processors share their caches and units, a low
// priority alone still costs them much.

/** Of a processor: what the other threads may use before this one steps back. */
const BUSY_SHARE = 0.3
/** Rest for each millisecond of work while they are busy. */
const REST = 9

/** What was used since the last look, in milliseconds. */
export interface Used {
  readonly elapsed: number
  /** Of a processor, by this thread. */
  readonly own: number
  /** By the whole process. */
  readonly all: number
}

/** @returns for how many milliseconds this thread is to rest */
export function restAfter({ elapsed, own, all }: Used): number {
  return all - own > elapsed * BUSY_SHARE ? own * REST : 0
}

/** Looks at the clocks of this thread. @returns what was used since the last call */
export function watchUse(): () => Used {
  let before = read()
  return () => {
    const now = read()
    const used = { elapsed: now.elapsed - before.elapsed, own: now.own - before.own, all: now.all - before.all }
    before = now
    return used
  }
}

function read(): Used {
  return {
    elapsed: performance.now(),
    own: milliseconds(process.threadCpuUsage()),
    all: milliseconds(process.cpuUsage()),
  }
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000
}
