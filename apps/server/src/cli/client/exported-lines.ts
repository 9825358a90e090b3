// Lists that come whole, as CSV or JSON lines.
import { ConfigError } from '@bowline/contract/config'
import { ExportFormat } from '@bowline/contract/schemas/common'
import type { Terminal } from '../terminal.ts'

/** @throws {ConfigError} for another format */
export function formatOf(typed: string): ExportFormat {
  const format = ExportFormat.safeParse(typed)
  if (!format.success) throw new ConfigError(['--format must be csv or jsonl.'])
  return format.data
}

/** @throws {Error} when the answer ends before it is complete */
export async function printLines(terminal: Terminal, response: Response): Promise<void> {
  for await (const lines of linesOf(response)) terminal.print(lines)
}

/**
 * Whole lines of an answer, several at once as they arrive.
 * @throws {Error} when the answer ends before it is complete
 */
export async function* linesOf({ body }: Response): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const text = rest + part
      const end = text.lastIndexOf('\n')
      rest = text.slice(end + 1)
      if (end >= 0) yield text.slice(0, end)
    }
  } catch (cause) {
    throw new Error('The server ended the export before it was complete.', { cause })
  }
}
