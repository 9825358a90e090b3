// Events of a session, in order.
import type { Session } from '@bowline/contract/schemas/session'
import { Text, Title } from '../../ui/kit.ts'
import { formatDuration, formatExactMoment } from '../../ui/text/numbers.ts'
import { eventText } from './event-text.ts'
import { sessionsMessages as texts } from './messages.ts'
import classes from './sessions.module.css'

/** A session may have thousands of events; the number left out is shown. */
const SHOWN = 500
const sentences: ReadonlyMap<string, string> = new Map(Object.entries(texts.happened))

export function SessionTimeline({ session }: { readonly session: Session }) {
  const items = session.events.items ?? []
  const started = Date.parse(session.started_at)
  return (
    <section aria-label={texts.timeline} className={classes['timeline']}>
      <Title order={2}>{texts.timeline}</Title>
      {items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.timelineEmpty}
        </Text>
      ) : null}
      <ol className={classes['events']}>
        {items.slice(0, SHOWN).map(({ type, timestamp, data, seat }, index) => (
          <li key={`${timestamp} ${index}`} className={classes['event']}>
            <time dateTime={timestamp} title={formatExactMoment(timestamp)} className={classes['offset']}>
              +{formatDuration(Date.parse(timestamp) - started)}
            </time>
            <span>
              {sentences.get(type) ?? type}
              <span className={classes['data']}>{eventText(type, data)}</span>
              {seat > 0 ? <span className={classes['data']}>{texts.seat(seat)}</span> : null}
            </span>
          </li>
        ))}
      </ol>
      {items.length > SHOWN ? (
        <Text size="xs" c="dimmed">
          {texts.more(items.length - SHOWN)}
        </Text>
      ) : null}
    </section>
  )
}
