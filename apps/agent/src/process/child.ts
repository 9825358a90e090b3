// A user's process as the agent sees it, whoever its parent is: the agent itself, or the process that holds the PAM
// session open (only processes it starts inherit its limits and login id).
import type { Exit } from '../native/exits.ts'

export interface ChildEvents {
  /** It is running. */
  started(pid: number): void
  /** It could not be started; no exit follows. */
  failed(error: Error): void
  /** It has ended and been reaped. */
  exited(exit: Exit): void
}

/** @param events `started` or `failed` may be called synchronously; `exited` never is */
export type Child = (events: ChildEvents) => void
