// Makes a background thread yield to the others of its process: where processors share caches and execution units, a
// low priority alone still costs them much.

/** Share of a processor that other threads may use before this one yields. */
const BUSY_SHARE = 0.3
/** Milliseconds of rest per millisecond of work while they are busy. */
const REST = 9

/** Use since the last call, in milliseconds. */
export interface Used {
  readonly elapsed: number
  /** Processor time of this thread. */
  readonly own: number
  /** Processor time of the whole process. */
  readonly all: number
}

/** @returns milliseconds that this thread should rest */
export function restAfter({ elapsed, own, all }: Used): number {
  return all - own > elapsed * BUSY_SHARE ? own * REST : 0
}

/** Starts measuring. @returns a function that measures the use since its last call */
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
