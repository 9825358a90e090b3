// The summary of a recording, as facts on a line.
import type { ListedRecording } from '@bowline/contract/schemas/recording'
import { formatClock } from '../../../ui/text/clock.ts'
import { formatBytes } from '../../../ui/text/numbers.ts'
import { endedBecause } from '../cause/ended-because.ts'
import { recordedTimeOf } from '../duration.ts'
import { sessionsMessages } from '../messages.ts'
import classes from './recording-summary.module.css'

const texts = sessionsMessages.summary

export function RecordingSummary({ recording }: { readonly recording: ListedRecording }) {
  const { bytes, summary, state, read, closed } = recording
  const end = endedBecause(closed)
  const time = recordedTimeOf(recording)
  // The server counts what was run, the file server as well.
  const ran = isFilesOnly(recording) ? null : summary
  return (
    <ul className={classes['facts']} aria-label={texts.label}>
      {time ? <li>{texts.lasts(formatClock(time.ms))}</li> : null}
      {state !== 'recording' && !read ? <li>{texts.preparing}</li> : null}
      {state === 'recording' ? null : <li>{formatBytes(bytes)}</li>}
      {time && time.idlePercent > 0 ? <li>{texts.idle(time.idlePercent)}</li> : null}
      {ran && ran.commands > 0 ? <li>{texts.commands(ran.commands)}</li> : null}
      {summary?.failed_commands ? <li className={classes['failed']}>{texts.failed(summary.failed_commands)}</li> : null}
      {ran && ran.programs.length > 0 ? (
        <li>
          {ran.programs.map(({ name, count }) => (
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

/** Whether a recording is of the SFTP subsystem, which has no screen. */
export function isFilesOnly({ command }: Pick<ListedRecording, 'command'>): boolean {
  return command === 'sftp'
}
