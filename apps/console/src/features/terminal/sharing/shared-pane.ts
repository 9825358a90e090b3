// A pane, as far as others type in its terminal, or it in theirs.
import type { RemoteTerminal } from '../connection/remote-terminal.ts'

export interface SharedPane {
  readonly remote: () => RemoteTerminal | undefined
  /** The session of another person that it has joined; undefined: its terminal is the person's own. */
  readonly joined: () => string | undefined
  /** Lets somebody who asks type in its terminal. */
  admit(guest: string): void
}
