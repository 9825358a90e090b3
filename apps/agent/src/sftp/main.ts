// The program that serves one user's files: a child of the agent on pipes, `node sftp/main.ts <order>` in a checkout
// and `bowline sftp-server <order>` in a bundle. It switches to the user before it reads the first byte. A thread of
// the agent would not do: it shares /proc/self, resource limits and signals with root, and one that blocks on a FIFO
// can neither be ended nor let the agent end.
import { becomeUser } from '../login/become-user.ts'
import { parseOrder } from './order.ts'
import { serve } from './serve.ts'
import { FileServer } from './server.ts'

const FAILED = 255

// Half of the paths clients request do not exist; a stack trace, which nobody sees, costs more than the response.
Error.stackTraceLimit = 0

try {
  const order = parseOrder(process.argv.at(-1) ?? '')
  becomeUser(order)
  serve(new FileServer(order), 0, 1)
} catch (error) {
  // Shown to the user: no more than a line.
  process.stderr.write(`sftp: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = FAILED
}
