// What narrows the list: a menu for each property, and a way back to everything.
import { X } from 'lucide-react'
import { memo } from 'react'
import { PRESENCES, SEEN, TROUBLE_CHOICES } from '../../../core/devices/device-filter.ts'
import type { DeviceKind } from '../../../core/devices/queries.ts'
import { OneOf } from '../../../ui/controls/choice-menu.tsx'
import { Button } from '../../../ui/kit.ts'
import { healthMessages } from '../../health/messages.ts'
import { devicesMessages as texts } from '../messages.ts'
import { FacetMenu } from './facet-menu.tsx'
import { CLEARED, type DevicesSearch, NARROWING, choicesOf } from '../search.ts'
import classes from '../../../ui/controls/choice-menu.module.css'
import edges from '../../../ui/page/edges.module.css'

const FACETS = ['tag', 'system', 'arch', 'version'] as const

interface FacetBarProps {
  readonly kind: DeviceKind
  /** Without its page and order. */
  readonly search: DevicesSearch
  readonly onChange: (change: Partial<DevicesSearch>) => void
}

/** It renders again only when something else narrows the list: turning or ordering it must not draw all menus. */
export const FacetBar = memo(({ kind, search, onChange: set }: FacetBarProps) => {
  const { status } = search
  const isNarrowed = NARROWING.some((name) => search[name] !== undefined && search[name] !== '')
  return (
    <fieldset aria-label={texts.filters} className={`${classes['bar']} ${edges['edges']}`}>
      {status === 'accepted' ? (
        <OneOf
          label={texts.presence}
          none={texts.anyPresence}
          values={PRESENCES}
          names={texts.presences}
          chosen={search.presence}
          onChoose={(presence) => set({ presence })}
        />
      ) : null}
      {FACETS.map((by) => (
        <FacetMenu
          key={by}
          by={by}
          label={texts.facets[by]}
          chosen={search[by] ?? []}
          scope={{ kind, status, ...choicesOf({ ...search, [by]: undefined }) }}
          onChange={(values) => set({ [by]: values.length > 0 ? values.slice(0, 8) : undefined })}
        />
      ))}
      {status === 'removed' ? null : (
        <OneOf
          label={texts.columns.lastSeen}
          none={texts.anyTime}
          values={SEEN}
          names={texts.seen}
          chosen={search.seen}
          onChoose={(seen) => set({ seen })}
        />
      )}
      {kind === 'devices' && status === 'accepted' ? (
        <OneOf
          label={healthMessages.trouble}
          none={healthMessages.anyTrouble}
          values={TROUBLE_CHOICES}
          names={healthMessages.troubleChoices}
          chosen={search.trouble}
          onChoose={(trouble) => set({ trouble })}
        />
      ) : null}
      <Mark
        label={texts.favorites}
        isChosen={search.fav === 'yes'}
        onChoose={(isChosen) => set({ fav: isChosen ? 'yes' : undefined })}
      />
      {kind === 'devices' && status !== 'removed' ? (
        <Mark
          label={texts.hostKeyChanged}
          isChosen={search.hostKey === 'changed'}
          onChoose={(isChosen) => set({ hostKey: isChosen ? 'changed' : undefined })}
        />
      ) : null}
      {search.incident === undefined ? null : (
        <Mark label={texts.inIncident} isChosen onChoose={() => set({ incident: undefined })} />
      )}
      {search.cell === undefined ? null : (
        <Mark label={texts.inCell} isChosen onChoose={() => set({ cell: undefined })} />
      )}
      {isNarrowed ? (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<X size={13} aria-hidden />}
          onClick={() => set(CLEARED)}
        >
          {texts.clearFilters}
        </Button>
      ) : null}
    </fieldset>
  )
})

interface MarkProps {
  readonly label: string
  readonly isChosen: boolean
  readonly onChoose: (isChosen: boolean) => void
}

/** A filter that is on or off. */
function Mark({ label, isChosen, onChoose }: MarkProps) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      fw={500}
      aria-pressed={isChosen}
      className={classes['face'] ?? ''}
      data-chosen={isChosen || undefined}
      onClick={() => onChoose(!isChosen)}
    >
      {label}
    </Button>
  )
}
