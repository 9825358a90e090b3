// What a person runs in a session of PAM: children of the process that holds it (pam-process.ts), which starts them on
// the agent's order and tells how they end. Its descriptors are opened once more by their names in /proc, so that nothing
// but lines of text has to travel.
import type { Child, ChildEvents } from '../process/child.ts'
import type { StartOrder } from '../process/start.ts'
import type { PamLine, PamStart } from './pam-protocol.ts'

type Told = Exclude<PamLine, { round: unknown } | { outcome: unknown }>

/** The process has gone, and with it the knowledge of how its children end. */
const LOST_STATUS = 255

interface Awaited {
  readonly events: ChildEvents
  /** Gives the descriptors of the order back; once. */
  release: () => void
  isStarted: boolean
}

/** Of one session. */
export class PamChildren {
  readonly #say: (line: PamStart) => void
  readonly #awaited = new Map<number, Awaited>()
  #count = 0
  #isLost = false

  /** @param say sends a line to the process */
  constructor(say: (line: PamStart) => void) {
    this.#say = say
  }

  /** A `Starter`. */
  start({ path, argv, env, stdio, user }: StartOrder, release: () => void): Child {
    return (events) => {
      this.#count += 1
      const start = this.#count
      this.#awaited.set(start, { events, release, isStarted: false })
      const { uid, gid, groups, home } = user
      this.#say({
        start,
        path,
        argv: argv.map((argument) => Buffer.from(argument).toString('base64')),
        env: [...env],
        stdio: typeof stdio === 'string' ? stdio : [ownFile(stdio[0]), ownFile(stdio[1]), ownFile(stdio[2])],
        user: { uid, gid, groups: [...groups], home },
      })
      if (this.#isLost) setImmediate(() => this.lost())
    }
  }

  /** A line of the process. */
  hear(line: Told): void {
    const start = 'started' in line ? line.started : 'failed' in line ? line.failed : line.exited
    const awaited = this.#awaited.get(start)
    if (!awaited) return
    if ('exited' in line) {
      this.#awaited.delete(start)
      return awaited.events.exited(line.exit)
    }
    awaited.release()
    if ('started' in line) {
      awaited.isStarted = true
      return awaited.events.started(line.pid)
    }
    this.#awaited.delete(start)
    awaited.events.failed(new Error(line.message))
  }

  /** The process has gone: nothing more will be heard of what it has started. */
  lost(): void {
    this.#isLost = true
    const awaited = [...this.#awaited.values()]
    this.#awaited.clear()
    for (const { events, release, isStarted } of awaited) {
      if (isStarted) events.exited({ status: LOST_STATUS })
      else {
        release()
        events.failed(new Error('the session of the device has ended'))
      }
    }
  }
}

/** A descriptor of the agent, for another process of root. */
function ownFile(fd: number): string {
  return `/proc/${process.pid}/fd/${fd}`
}
