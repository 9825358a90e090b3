// A terminal that shows what a server says as text: it may be anybody's, and control characters act on terminals.
import { withoutControls } from '../../gateway/record/announcement.ts'
import type { Terminal } from '../terminal.ts'

export function plainTerminal(terminal: Terminal): Terminal {
  return {
    ...terminal,
    print: (line) => terminal.print(withoutControls(line)),
    complain: (line) => terminal.complain(withoutControls(line)),
  }
}
