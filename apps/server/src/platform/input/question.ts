// A question to a person at the terminal.
import { createInterface } from 'node:readline/promises'

/** Asks on stderr, since stdout is for results. @returns what was typed; '' at the end of the input */
export async function askQuestion(prompt: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
    return await Promise.race([lines.question(prompt), ended])
  } finally {
    lines.close()
  }
}
