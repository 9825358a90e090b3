// In place of the player, for a channel that transferred files: there is no screen to play.
import type { RecordingIndex } from '@bowline/contract/schemas/recording'
import type { Session } from '@bowline/contract/schemas/session'
import { Files } from 'lucide-react'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { marksOf } from '../engine/session-marks.ts'
import { playerMessages as texts } from '../messages.ts'
import classes from '../player.module.css'
import { MarksPanel } from './marks-panel.tsx'

interface FilesViewProps {
  readonly session: Session
  readonly seat: string
  readonly index: RecordingIndex
}

export function FilesView({ session, seat, index }: FilesViewProps) {
  // The note above the list names SFTP.
  const marks = marksOf(session, Number(seat), index).filter(({ type }) => type !== 'subsystem')
  return (
    <div className={classes['view']}>
      <EmptyState icon={<Files size={24} />} title={texts.noScreen} text={texts.noScreenText} />
      <section className={classes['panel']} aria-label={texts.tabs.events}>
        <div className={classes['panelBody']}>
          <MarksPanel marks={marks} empty={texts.noFiles} />
        </div>
      </section>
    </div>
  )
}
