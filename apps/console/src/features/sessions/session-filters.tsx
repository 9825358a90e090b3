// Filters of the session list, stored in the URL.
import { Button, NativeSelect, TextInput } from '../../ui/kit.ts'
import { SearchField } from '../../ui/form/search-field.tsx'
import { Toolbar } from '../../ui/list/toolbar.tsx'
import { DevicePicker } from '../../core/devices/device-picker.tsx'
import { sessionsMessages } from './messages.ts'
import { SESSION_STATES, type SessionsSearch, isFiltered } from './search.ts'
import classes from './sessions.module.css'

const texts = sessionsMessages.filters

interface SessionFiltersProps {
  readonly search: SessionsSearch
  /** Sets filters; the list goes back to its first page. */
  readonly onChoose: (change: Partial<SessionsSearch>) => void
  readonly onClear: () => void
  readonly onSearch: (words: string) => void
}

export function SessionFilters({ search, onChoose, onClear, onSearch }: SessionFiltersProps) {
  return (
    <Toolbar>
      <SearchField label={sessionsMessages.search} words={search.q ?? ''} onSearch={onSearch} />
      <DevicePicker
        size="xs"
        label={texts.device}
        placeholder={texts.devicePlaceholder}
        uid={search.device ?? ''}
        onPick={(device) => onChoose({ device })}
      />
      <NativeSelect
        size="xs"
        aria-label={texts.state}
        value={search.state ?? ''}
        data={[
          { value: '', label: texts.anyState },
          ...SESSION_STATES.map((state) => ({ value: state, label: texts.states[state] })),
        ]}
        onChange={(event) => onChoose({ state: SESSION_STATES.find((state) => state === event.currentTarget.value) })}
      />
      <NativeSelect
        size="xs"
        aria-label={texts.recorded}
        value={search.recorded ?? ''}
        data={[
          { value: '', label: texts.anyRecorded },
          { value: 'yes', label: texts.recordedWords.yes },
          { value: 'no', label: texts.recordedWords.no },
        ]}
        onChange={(event) => {
          const { value } = event.currentTarget
          onChoose({ recorded: value === 'yes' || value === 'no' ? value : undefined })
        }}
      />
      <TextInput
        type="date"
        size="xs"
        aria-label={texts.from}
        leftSection={texts.fromShort}
        leftSectionWidth={40}
        className={classes['day'] ?? ''}
        value={search.from ?? ''}
        max={search.to}
        onChange={(event) => onChoose({ from: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        size="xs"
        aria-label={texts.to}
        leftSection={texts.toShort}
        leftSectionWidth={40}
        className={classes['day'] ?? ''}
        value={search.to ?? ''}
        min={search.from}
        onChange={(event) => onChoose({ to: event.currentTarget.value || undefined })}
      />
      {isFiltered(search) ? (
        <Button size="xs" variant="subtle" onClick={onClear}>
          {sessionsMessages.clear}
        </Button>
      ) : null}
    </Toolbar>
  )
}
