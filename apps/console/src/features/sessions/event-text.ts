// What an event of a session was about, in words.
import { z } from 'zod'
import { formatBytes, formatDuration } from '../../ui/text/numbers.ts'
import { sessionsMessages } from './messages.ts'

const texts = sessionsMessages.about
const joinEnds: ReadonlyMap<string, string> = new Map(Object.entries(texts.joinEnds))
const joinDenials: ReadonlyMap<string, string> = new Map(Object.entries(texts.joinDenials))

/** Data of all kinds of events; what an event lacks is left out. */
const EventData = z
  .object({
    rule: z.number().nullable(),
    action: z.string(),
    columns: z.number(),
    rows: z.number(),
    term: z.string(),
    command: z.string(),
    name: z.string(),
    status: z.union([z.number(), z.string()]).transform(String),
    signal: z.string(),
    message: z.string(),
    request: z.string(),
    host: z.string(),
    port: z.number(),
    path: z.string(),
    target: z.string(),
    to_device: z.number(),
    to_person: z.number(),
    ms: z.number(),
    by: z.string(),
    reason: z.string(),
    typed: z.number(),
    operation: z.string(),
    to: z.string(),
    bytes: z.number(),
    sha256: z.string(),
    result: z.string(),
  })
  .partial()

type EventData = z.infer<typeof EventData>

const described: Readonly<Record<string, (data: EventData) => string | undefined>> = {
  firewall: ({ rule, action }) =>
    action === 'allow'
      ? texts.allowed(rule === undefined || rule === null ? undefined : String(rule))
      : texts.denied(String(rule ?? '')),
  'access-request': ({ request }) => request,
  'pty-req': ({ term, ...size }) => list([term, sizeOf(size)]),
  'window-change': sizeOf,
  exec: ({ command }) => command,
  subsystem: ({ command, name }) => command ?? name,
  env: ({ name }) => name,
  signal: ({ signal }) => signal,
  'exit-status': ({ status }) => status,
  'exit-signal': ({ status, message }) => list([status, message]),
  'direct-tcpip': ({ host, port }) => (host === undefined ? undefined : `${host}:${port ?? ''}`),
  'direct-streamlocal': ({ path }) => path,
  file: ({ operation, path, to, bytes, sha256, result }) =>
    list([
      [operation, path, ...(to === undefined ? [] : ['→', to])].join(' '),
      bytes === undefined ? undefined : formatBytes(bytes),
      sha256 === undefined ? undefined : `SHA-256 ${sha256}`,
      result === 'ok' ? undefined : result,
    ]),
  'recording-failed': ({ message }) => message,
  'file-log-ended': ({ message }) => message,
  'forward-end': ({ target, to_device: toDevice = 0, to_person: toPerson = 0, ms = 0 }) =>
    list([target, texts.carried(formatBytes(toDevice), formatBytes(toPerson)), formatDuration(ms)]),
  watch: ({ by }) => by,
  'watch-end': ({ by }) => by,
  play: ({ by }) => by,
  join: ({ by }) => by,
  'join-request': ({ by }) => by,
  'join-input': ({ by }) => by,
  'join-denied': ({ by, reason = '' }) => list([by, joinDenials.get(reason) ?? joinEnds.get(reason) ?? reason]),
  'join-end': ({ by, reason = '', typed = 0 }) =>
    list([by, joinEnds.get(reason) ?? reason, typed === 0 ? texts.typedNothing : texts.typed(typed)]),
}

/**
 * @param type of the event
 * @param data as the API sends it
 * @returns a command, a size, an address; '' where the type says everything. Kinds of events that this version does not
 *   know have their data as it is.
 */
export function eventText(type: string, data: unknown): string {
  const known = Object.hasOwn(described, type) ? described[type] : undefined
  const parsed = EventData.safeParse(data)
  return known && parsed.success ? (known(parsed.data) ?? '') : raw(data)
}

/** A client without a window, such as one that runs a command, sends zeros. */
function sizeOf({ columns = 0, rows = 0 }: Pick<EventData, 'columns' | 'rows'>): string | undefined {
  return columns > 0 && rows > 0 ? `${columns}×${rows}` : undefined
}

function list(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ')
}

/** `name: value`; nested values as JSON. */
function raw(data: unknown): string {
  if (typeof data !== 'object' || data === null) return ''
  return Object.entries(data)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ')
}
