// A terminal that shows what commands print as text: names, logs and answers may be anybody's, and control characters act on it.
import { withoutControls } from '../gateway/record/announcement.ts'
import type { Terminal } from './terminal.ts'

export function plainTerminal(terminal: Terminal): Terminal {
  return {
    ...terminal,
    print: (line) => terminal.print(withoutControls(line)),
    complain: (line) => terminal.complain(withoutControls(line)),
  }
}
