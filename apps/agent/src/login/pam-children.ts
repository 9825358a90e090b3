// User processes in a PAM session: children of the process that holds it (pam-process.ts), which starts them on the
// agent's order and reports their exits. It reopens the descriptors by their names in /proc, so that only lines of text
// are exchanged.
import type { Child, ChildEvents } from '../process/child.ts'
import type { StartOrder } from '../process/start.ts'
import type { PamLine, PamStart } from './pam-protocol.ts'

type Report = Exclude<PamLine, { round: unknown } | { outcome: unknown }>

/** Exit status when the process has gone and its children's exits are unknown. */
const LOST_STATUS = 255

interface PendingStart {
  readonly events: ChildEvents
  /** Releases the descriptors of the order; once. */
  release: () => void
  isStarted: boolean
}

/** The processes of one session. */
export class PamChildren {
  readonly #send: (line: PamStart) => void
  readonly #pending = new Map<number, PendingStart>()
  #count = 0
  #isLost = false

  /** @param send sends a line to the process */
  constructor(send: (line: PamStart) => void) {
    this.#send = send
  }

  /** Implements `Starter`. */
  start({ path, argv, env, stdio, user }: StartOrder, release: () => void): Child {
    return (events) => {
      this.#count += 1
      const start = this.#count
      this.#pending.set(start, { events, release, isStarted: false })
      const { uid, gid, groups, home } = user
      this.#send({
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

  /** Handles a line of the process. */
  handle(line: Report): void {
    const start = 'started' in line ? line.started : 'failed' in line ? line.failed : line.exited
    const awaited = this.#pending.get(start)
    if (!awaited) return
    if ('exited' in line) {
      this.#pending.delete(start)
      return awaited.events.exited(line.exit)
    }
    awaited.release()
    if ('started' in line) {
      awaited.isStarted = true
      return awaited.events.started(line.pid)
    }
    this.#pending.delete(start)
    awaited.events.failed(new Error(line.message))
  }

  /** The process has gone: its children's exits will not be reported. */
  lost(): void {
    this.#isLost = true
    const awaited = [...this.#pending.values()]
    this.#pending.clear()
    for (const { events, release, isStarted } of awaited) {
      if (isStarted) events.exited({ status: LOST_STATUS })
      else {
        release()
        events.failed(new Error('the session of the device has ended'))
      }
    }
  }
}

/** Path of one of the agent's descriptors, for another root process. */
function ownFile(fd: number): string {
  return `/proc/${process.pid}/fd/${fd}`
}
