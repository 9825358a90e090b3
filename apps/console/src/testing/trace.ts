// A trace of a session, as a browser keeps it, in which somebody has signed in.
import type { SessionTrace } from '../auth/session-trace.ts'

/** Keeps what is noted, in memory. */
export function aTrace(): SessionTrace {
  let isLikely = true
  return { isLikely: () => isLikely, note: (isSignedIn) => (isLikely = isSignedIn) }
}
