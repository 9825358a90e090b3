// Filters of the session list, stored in the URL.
import { UserId } from '@bowline/contract/schemas/common'
import { SESSION_METHODS } from '@bowline/contract/schemas/session'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { DevicePicker } from '../../core/devices/device-picker.tsx'
import { OneOf } from '../../ui/controls/choice-menu.tsx'
import { Button, TextInput } from '../../ui/kit.ts'
import { namespaceQuery } from '../namespaces/queries.ts'
import { sessionsMessages } from './messages.ts'
import { ACTIVITY_NAMES, SESSION_STATES, type SessionsSearch, isFiltered } from './search.ts'
import bar from '../../ui/controls/choice-menu.module.css'
import classes from './sessions.module.css'

const texts = sessionsMessages.filters
const RECORDED = ['yes', 'no'] as const

interface SessionFiltersProps {
  readonly search: SessionsSearch
  /** Sets filters; the list goes back to its first page. */
  readonly onChoose: (change: Partial<SessionsSearch>) => void
  readonly onClear: () => void
}

export function SessionFilters({ search, onChoose, onClear }: SessionFiltersProps) {
  return (
    <fieldset aria-label={texts.label} className={bar['bar']}>
      <PersonFilter chosen={search.person} onChoose={(person) => onChoose({ person })} />
      <OneOf
        label={texts.state}
        none={texts.anyState}
        values={SESSION_STATES}
        names={texts.states}
        chosen={search.state}
        onChoose={(state) => onChoose({ state })}
      />
      <OneOf
        label={texts.method}
        none={texts.anyMethod}
        values={SESSION_METHODS}
        names={sessionsMessages.methods}
        chosen={search.method}
        onChoose={(method) => onChoose({ method })}
      />
      <OneOf
        label={texts.activity}
        none={texts.anyActivity}
        values={ACTIVITY_NAMES}
        names={sessionsMessages.activities}
        chosen={search.did}
        onChoose={(did) => onChoose({ did })}
      />
      <OneOf
        label={texts.recorded}
        none={texts.anyRecorded}
        values={RECORDED}
        names={texts.recordedWords}
        chosen={search.recorded}
        onChoose={(recorded) => onChoose({ recorded })}
      />
      {search.key === undefined ? null : (
        <Button
          size="compact-sm"
          variant="default"
          fw={500}
          className={bar['face'] ?? ''}
          data-chosen
          rightSection={<X size={13} aria-hidden />}
          onClick={() => onChoose({ key: undefined })}
        >
          <span className={bar['value']}>{texts.key(search.key)}</span>
        </Button>
      )}
      <div className={classes['device']}>
        <DevicePicker
          size="xs"
          label={texts.device}
          placeholder={texts.devicePlaceholder}
          uid={search.device ?? ''}
          onPick={(device) => onChoose({ device })}
        />
      </div>
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
        <Button size="compact-sm" variant="subtle" leftSection={<X size={13} aria-hidden />} onClick={onClear}>
          {sessionsMessages.clear}
        </Button>
      ) : null}
    </fieldset>
  )
}

interface PersonFilterProps {
  readonly chosen: UserId | undefined
  readonly onChoose: (person: UserId | undefined) => void
}

/** The members of the namespace, read when somebody looks at them. */
function PersonFilter({ chosen, onChoose }: PersonFilterProps) {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const [opened, setOpened] = useState(false)
  const isNeeded = tenant !== '' && (opened || chosen !== undefined)
  const { data } = useQuery({ ...namespaceQuery(api, tenant), enabled: isNeeded })
  const members = (data?.members ?? []).filter(({ status }) => status === 'accepted')
  const names: Record<string, string> = Object.fromEntries(members.map(({ id, email }) => [id, email]))
  // Somebody who has left stays the one that the list shows.
  if (chosen !== undefined) names[chosen] ??= data ? texts.formerMember : '…'
  return (
    <OneOf
      label={texts.person}
      none={texts.anyPerson}
      values={Object.keys(names)}
      names={names}
      chosen={chosen}
      onOpen={() => setOpened(true)}
      onChoose={(id) => onChoose(id === undefined ? undefined : UserId.parse(id))}
    />
  )
}
