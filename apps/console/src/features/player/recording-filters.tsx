// Whose recordings the list and the search are limited to, stored in the URL.
import { X } from 'lucide-react'
import { DevicePicker } from '../../core/devices/device-picker.tsx'
import bar from '../../ui/controls/choice-menu.module.css'
import { DayRange } from '../../ui/controls/day-range.tsx'
import { Button } from '../../ui/kit.ts'
import { MemberFilter } from '../namespaces/member-filter.tsx'
import { sessionsMessages } from '../sessions/messages.ts'
import { playerMessages } from './messages.ts'
import classes from './player.module.css'
import type { RecordingsSearch } from './search.ts'
import edges from '../../ui/page/edges.module.css'

const NOTHING = { device: undefined, person: undefined, from: undefined, to: undefined } as const

interface RecordingFiltersProps {
  readonly search: RecordingsSearch
  /** Sets filters; the list goes back to its first page. */
  readonly onChoose: (change: Partial<RecordingsSearch>) => void
}

export function RecordingFilters({ search, onChoose }: RecordingFiltersProps) {
  return (
    <fieldset aria-label={playerMessages.recordings.filters} className={`${bar['bar']} ${edges['edges']}`}>
      <MemberFilter chosen={search.person} onChoose={(person) => onChoose({ person })} />
      <div className={classes['deviceFilter']}>
        <DevicePicker
          filter
          label={sessionsMessages.filters.device}
          uid={search.device ?? ''}
          onPick={(device) => onChoose({ device })}
        />
      </div>
      <DayRange from={search.from} to={search.to} onChoose={onChoose} />
      {isFiltered(search) ? (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<X size={13} aria-hidden />}
          onClick={() => onChoose(NOTHING)}
        >
          {sessionsMessages.clear}
        </Button>
      ) : null}
    </fieldset>
  )
}

/** True when the recordings are limited, apart from words. */
export function isFiltered({ device, person, from, to }: RecordingsSearch): boolean {
  return [device, person, from, to].some((one) => one !== undefined)
}
