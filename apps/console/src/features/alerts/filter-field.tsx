// The devices that a rule is about, by what the list of devices can be narrowed by.
import { useState } from 'react'
import { type DeviceChoices, PRESENCES, choicesOfFilter, deviceFilter } from '../../core/devices/device-filter.ts'
import { OneOf } from '../../ui/controls/choice-menu.tsx'
import { Button, Group, Text, TextInput } from '../../ui/kit.ts'
import { FacetMenu } from '../devices/list/facet-menu.tsx'
import { devicesMessages } from '../devices/messages.ts'
import { alertsMessages } from './messages.ts'
import bar from '../../ui/controls/choice-menu.module.css'

const texts = alertsMessages.filter
const FACETS = [
  ['tag', 'tags'],
  ['system', 'systems'],
  ['arch', 'archs'],
  ['version', 'versions'],
] as const

interface FilterFieldProps {
  /** Filter of the list of devices; '' for all. */
  readonly filter: string
  readonly onChange: (filter: string) => void
  /** Validation error from the surrounding form. */
  readonly error?: string | null
}

export function FilterField({ filter, onChange, error }: FilterFieldProps) {
  // What is typed: a filter has no spaces at the end of a word.
  const [words, setWords] = useState(() => choicesOfFilter(filter)?.words ?? '')
  const choices = choicesOfFilter(filter)
  if (!choices) {
    return (
      <Group gap="xs">
        <Text size="sm">{texts.other}</Text>
        <Button size="compact-sm" variant="default" onClick={() => onChange('')}>
          {texts.clear}
        </Button>
      </Group>
    )
  }
  const set = (change: Partial<DeviceChoices>) => onChange(deviceFilter({ ...choices, ...change }) ?? '')
  return (
    <div>
      <TextInput
        label={texts.words}
        description={texts.wordsHint}
        value={words}
        error={error}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget: { value } }) => {
          setWords(value)
          set({ words: value })
        }}
      />
      <fieldset aria-label={texts.also} className={bar['bar']}>
        {FACETS.map(([by, name]) => (
          <FacetMenu
            key={by}
            by={by}
            label={devicesMessages.facets[by]}
            chosen={choices[name] ?? []}
            scope={{ kind: 'devices', status: 'accepted', ...choices, [name]: undefined }}
            onChange={(values) => set({ [name]: values.slice(0, 8) })}
          />
        ))}
        <OneOf
          label={devicesMessages.presence}
          none={devicesMessages.anyPresence}
          values={PRESENCES}
          names={devicesMessages.presences}
          chosen={choices.presence}
          onChoose={(presence) => set({ presence })}
        />
      </fieldset>
    </div>
  )
}
