// Filters of the session list, stored in the URL.
import { SESSION_METHODS } from '@bowline/contract/schemas/session'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { DevicePicker } from '../../core/devices/device-picker.tsx'
import { OneOf } from '../../ui/controls/choice-menu.tsx'
import { DayRange } from '../../ui/controls/day-range.tsx'
import { Button } from '../../ui/kit.ts'
import { MemberFilter } from '../namespaces/member-filter.tsx'
import { sessionsMessages } from './messages.ts'
import { AddressFilter } from './address-filter.tsx'
import {
  ACTIVITY_NAMES,
  SESSION_CLIENTS,
  SESSION_STATES,
  type SessionsSearch,
  closedGroup,
  isFiltered,
} from './search.ts'
import bar from '../../ui/controls/choice-menu.module.css'
import classes from './sessions.module.css'
import edges from '../../ui/page/edges.module.css'

const texts = sessionsMessages.filters
const RECORDED = ['yes', 'no'] as const

interface SessionFiltersProps {
  readonly search: SessionsSearch
  /** Sets filters; the list goes back to its first page. */
  readonly onChoose: (change: Partial<SessionsSearch>) => void
  readonly onClear: () => void
  readonly onUngroup: () => void
}

export function SessionFilters({ search, onChoose, onClear, onUngroup }: SessionFiltersProps) {
  return (
    <fieldset aria-label={texts.label} className={`${bar['bar']} ${edges['edges']}`}>
      {search.group === undefined ? null : (
        <Chosen onRemove={onUngroup}>{sessionsMessages.groups.chosen[search.group]}</Chosen>
      )}
      {search.of === undefined || search[search.of] === undefined ? null : (
        <Link to="/sessions" search={closedGroup(search, search.of)} className={classes['back']}>
          <ArrowLeft size={13} aria-hidden />
          {sessionsMessages.groups.tables[search.of]}
        </Link>
      )}
      <MemberFilter
        chosen={search.person}
        nobody={{ name: sessionsMessages.unknownPerson, onChoose: () => onChoose({ person: 'unknown' }) }}
        onChoose={(person) => onChoose({ person })}
      />
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
      <OneOf
        label={texts.client}
        none={texts.anyClient}
        values={SESSION_CLIENTS}
        names={sessionsMessages.types}
        chosen={search.client}
        onChoose={(client) => onChoose({ client })}
      />
      <AddressFilter search={search} onChoose={(ip) => onChoose({ ip })} />
      {search.key === undefined ? null : (
        <Chosen onRemove={() => onChoose({ key: undefined })}>{texts.key(search.key)}</Chosen>
      )}
      <div className={classes['device']}>
        <DevicePicker filter label={texts.device} uid={search.device ?? ''} onPick={(device) => onChoose({ device })} />
      </div>
      <DayRange from={search.from} to={search.to} onChoose={onChoose} />
      {isFiltered(search) ? (
        <Button size="compact-sm" variant="subtle" leftSection={<X size={13} aria-hidden />} onClick={onClear}>
          {sessionsMessages.clear}
        </Button>
      ) : null}
    </fieldset>
  )
}

/** What was chosen elsewhere; a press takes it back. */
function Chosen({ onRemove, children }: { readonly onRemove: () => void; readonly children: ReactNode }) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      fw={500}
      className={bar['face'] ?? ''}
      data-chosen
      rightSection={<X size={13} aria-hidden />}
      onClick={onRemove}
    >
      <span className={bar['value']}>{children}</span>
    </Button>
  )
}
