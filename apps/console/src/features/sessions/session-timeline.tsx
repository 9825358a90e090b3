// Timeline of a session: its events, the commands typed in recorded shells, and the end.
import type { Session } from '@bowline/contract/schemas/session'
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { Text, Title } from '../../ui/kit.ts'
import { formatDuration, formatExactMoment } from '../../ui/text/numbers.ts'
import { endedBecause } from './cause/ended-because.ts'
import { eventText } from './event-text.ts'
import { sessionsMessages as texts } from './messages.ts'
import { typedCommandsQuery } from './queries.ts'
import classes from './sessions.module.css'

/** A session may have thousands of events; the number left out is shown. */
const SHOWN = 500
/** Channels whose commands are asked for. */
const SEATS = 8
const sentences: ReadonlyMap<string, string> = new Map(Object.entries(texts.happened))

interface Entry {
  readonly key: string
  readonly atMs: number
  readonly what: string
  readonly detail: ReactNode
  readonly seat: number
}

export function SessionTimeline({ session }: { readonly session: Session }) {
  const typed = useTypedCommands(session)
  const started = Date.parse(session.started_at)
  const entries = [...eventsOf(session), ...typed].toSorted((a, b) => a.atMs - b.atMs).concat(endOf(session))
  return (
    <section aria-label={texts.timeline} className={classes['timeline']}>
      <Title order={2}>{texts.timeline}</Title>
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.timelineEmpty}
        </Text>
      ) : null}
      <ol className={classes['events']}>
        {entries.slice(0, SHOWN).map(({ key, atMs, what, detail, seat }) => (
          <li key={key} className={classes['event']}>
            <time
              dateTime={new Date(atMs).toISOString()}
              title={formatExactMoment(new Date(atMs).toISOString())}
              className={classes['offset']}
            >
              +{formatDuration(atMs - started)}
            </time>
            <span>
              {what}
              <span className={classes['data']}>{detail}</span>
              {seat > 0 ? <span className={classes['data']}>{texts.seat(seat)}</span> : null}
            </span>
          </li>
        ))}
      </ol>
      {entries.length > SHOWN ? (
        <Text size="xs" c="dimmed">
          {texts.more(entries.length - SHOWN)}
        </Text>
      ) : null}
    </section>
  )
}

function eventsOf({ events }: Session): Entry[] {
  return (events.items ?? []).map(({ type, timestamp, data, seat }, index) => ({
    key: `${timestamp} ${index}`,
    atMs: Date.parse(timestamp),
    what: sentences.get(type) ?? type,
    detail: eventText(type, data),
    seat,
  }))
}

function endOf({ closed }: Session): Entry[] {
  if (!closed) return []
  return [{ key: 'end', atMs: Date.parse(closed.at), what: texts.ended, detail: endedBecause(closed), seat: 0 }]
}

/** Commands of shells, for those who may play recordings; of a session that goes on there are none yet. */
function useTypedCommands({ uid, device, recorded, active, events }: Session): Entry[] {
  const { api } = useRuntime()
  const may = useMay('sessionPlay', device)
  const seats = recorded && !active && may ? events.seats.slice(0, SEATS) : []
  const queries = useQueries({ queries: seats.map((seat) => typedCommandsQuery(api, uid, seat)) })
  return queries.flatMap(({ data }) =>
    (data?.commands ?? []).map(({ atMs, seconds, text, seat }) => ({
      key: `typed ${seat} ${seconds} ${text}`,
      atMs,
      what: texts.commandTyped,
      detail: (
        <Link to="/sessions/$uid/play/$seat" params={{ uid, seat: String(seat) }} search={{ t: Math.floor(seconds) }}>
          <code>{text}</code>
        </Link>
      ),
      seat,
    })),
  )
}
