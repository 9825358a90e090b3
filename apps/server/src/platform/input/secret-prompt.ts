// Asks for a secret at a terminal, without showing what is typed.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

const INTERRUPTED = 130

/** Reads a line of stdin, which is a terminal. Ctrl+C ends the process as in a shell; Ctrl+D reads as an empty line. */
export function askSecret(prompt: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  // What is typed is echoed to the output.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 })
  // Only now: what is typed before the terminal is raw would be shown.
  process.stderr.write(prompt)
  lines.once('SIGINT', () => {
    lines.close()
    process.stderr.write('\n')
    process.exit(INTERRUPTED)
  })
  lines.once('line', (line) => {
    resolve(line)
    lines.close()
  })
  lines.once('close', () => {
    process.stderr.write('\n')
    resolve('')
  })
  return promise
}
