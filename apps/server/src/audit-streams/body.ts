// Bodies of the requests of an audit stream.
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import type { StreamRow } from './store.ts'

/** Bytes of a batch, unless its first entry alone has more. */
export const MAX_BATCH_BYTES = 512 * 1_024

interface Batch {
  readonly body: string
  readonly type: string
  /** Id of its last entry. */
  readonly last: number
  readonly count: number
}

/** As many of the entries, of which there is one at least, as a batch holds. */
export function batchOf(format: StreamRow['format'], entries: readonly [AuditEntry, ...AuditEntry[]]): Batch {
  const [first] = entries
  const lines: string[] = []
  let bytes = 0
  let last = first.id
  for (const entry of entries) {
    const line = JSON.stringify(format === 'splunk-hec' ? splunkEvent(entry) : entry)
    bytes += Buffer.byteLength(line) + 1
    if (bytes > MAX_BATCH_BYTES && lines.length > 0) break
    lines.push(line)
    last = entry.id
  }
  const of = { last, count: lines.length }
  if (format === 'json') return { ...of, body: `[${lines.join(',')}]`, type: 'application/json' }
  const type = format === 'ndjson' ? 'application/x-ndjson' : 'application/json'
  return { ...of, body: lines.map((line) => `${line}\n`).join(''), type }
}

/** Splunk takes events one after the other, with their time in seconds. */
function splunkEvent(entry: AuditEntry) {
  return { time: Date.parse(entry.at) / 1_000, source: 'bowline', sourcetype: 'bowline:audit', event: entry }
}
