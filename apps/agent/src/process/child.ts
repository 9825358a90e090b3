// A person's process as the agent sees it, whoever its parent is: the agent itself, or the process that holds the
// session of PAM open (its limits and login id come to what it starts, and to nothing else).
import type { Exit } from '../native/exits.ts'

export interface ChildEvents {
  /** It runs. */
  started(pid: number): void
  /** It could not be started; no exit follows. */
  failed(error: Error): void
  /** It has ended and been reaped. */
  exited(exit: Exit): void
}

/** @param events `started` or `failed` may come within the call; `exited` never does */
export type Child = (events: ChildEvents) => void
