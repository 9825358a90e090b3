// The summary of a recording, as facts on a line.
import type { ListedRecording } from '@bowline/contract/schemas/recording'
import { formatBytes, formatDuration } from '../../../ui/text/numbers.ts'
import { endedBecause } from '../cause/ended-because.ts'
import { sessionsMessages } from '../messages.ts'
import classes from './recording-summary.module.css'

const texts = sessionsMessages.summary

export function RecordingSummary({ recording }: { readonly recording: ListedRecording }) {
  const { bytes, summary, state, read, closed } = recording
  const end = endedBecause(closed)
  return (
    <ul className={classes['facts']} aria-label={texts.label}>
      {summary ? <li>{texts.lasts(formatDuration(summary.seconds * 1_000))}</li> : null}
      {state !== 'recording' && !read ? <li>{texts.preparing}</li> : null}
      {state === 'recording' ? null : <li>{formatBytes(bytes)}</li>}
      {summary && summary.idle_seconds > 0 ? (
        <li>{texts.idle(Math.round((100 * summary.idle_seconds) / summary.seconds))}</li>
      ) : null}
      {summary && summary.commands > 0 ? <li>{texts.commands(summary.commands)}</li> : null}
      {summary?.failed_commands ? <li className={classes['failed']}>{texts.failed(summary.failed_commands)}</li> : null}
      {summary && summary.programs.length > 0 ? (
        <li>
          {summary.programs.map(({ name, count }) => (
            <code key={name} className={classes['program']} title={texts.times(count)}>
              {name}
            </code>
          ))}
        </li>
      ) : null}
      {end === '' ? null : <li className={classes['end']}>{end}</li>}
    </ul>
  )
}
