// Session events besides the output – commands, window sizes, people who joined or watched, the end – and commands typed
// in the shell, placed on the recording's timeline.
import type { RecordingIndex } from '@bowline/contract/schemas/recording'
import type { Session } from '@bowline/contract/schemas/session'
import { z } from 'zod'
import { eventText } from '../../sessions/event-text.ts'
import { playerMessages as texts } from '../messages.ts'

export interface SessionMark {
  /** Milliseconds since the start of the recording. */
  readonly atMs: number
  readonly type: keyof typeof texts.events
  /** The command, size, status, file operation or person. */
  readonly what: string
}

const EventData = z
  .object({
    command: z.string(),
    name: z.string(),
    signal: z.string(),
    status: z.union([z.number(), z.string()]).transform(String),
    message: z.string(),
    columns: z.number(),
    rows: z.number(),
  })
  .partial()
  .catch({})

export function marksOf(
  session: Session,
  seat: number,
  { started_at, commands }: Pick<RecordingIndex, 'started_at' | 'commands'>,
): SessionMark[] {
  const typed = commands.map(({ time, text }): SessionMark => ({ atMs: time * 1_000, type: 'exec', what: text }))
  return [...eventsOf(session, seat, started_at), ...typed].toSorted((one, other) => one.atMs - other.atMs)
}

/** @param startedAt start of the recording, RFC 3339 */
function eventsOf(session: Session, seat: number, startedAt: string): SessionMark[] {
  const start = Date.parse(startedAt)
  const items = session.events.items ?? []
  let currentSize: string | undefined
  return items.flatMap((item) => {
    if (item.seat !== seat) return []
    const { columns, rows, command, name, signal, status, message } = EventData.parse(item.data)
    const size = columns === undefined || rows === undefined ? undefined : `${columns}×${rows}`
    if (size !== undefined) {
      // Earlier versions kept unchanged sizes too.
      if (item.type === 'window-change' && size === currentSize) return []
      currentSize = size
    }
    if (!isMarked(item.type)) return []
    const what =
      item.type === 'file' || ofPeople(item.type)
        ? eventText(item.type, item.data)
        : (command ?? name ?? signal ?? status ?? message ?? size ?? '')
    return [{ atMs: Math.max(0, Date.parse(item.timestamp) - start), type: item.type, what }]
  })
}

/** Whether a channel is one of SFTP: its recording has file operations, and nothing for a screen. */
export function isFileTransfer(session: Session, seat: number): boolean {
  const started = (session.events.items ?? []).find((item) => item.seat === seat && item.type === 'subsystem')
  const { command, name } = EventData.parse(started?.data ?? {})
  return (command ?? name) === 'sftp'
}

/** Whether an event is about another person at the session. */
function ofPeople(type: string): boolean {
  return /^(watch|join)(-|$)/.test(type)
}

function isMarked(type: string): type is keyof typeof texts.events {
  return Object.hasOwn(texts.events, type)
}
