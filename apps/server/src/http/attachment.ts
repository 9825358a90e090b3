// Answers that browsers save as files.
import { Readable } from 'node:stream'
import type { ExportFormat } from '@bowline/contract/schemas/common'
import type { RequestContext } from './route.ts'

const TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl',
}

/**
 * Sends the lines of a list as a file; they are pulled as the client reads. An error in between ends the connection, so
 * that clients do not take a part for the whole.
 * @param name of the file, without its extension
 */
export async function sendLines(
  { reply }: Pick<RequestContext, 'reply'>,
  name: string,
  format: ExportFormat,
  lines: AsyncIterable<string>,
): Promise<undefined> {
  void reply.header('content-disposition', `attachment; filename="${name}.${format}"`).type(TYPES[format])
  await reply.send(Readable.from(lines))
  return undefined
}
