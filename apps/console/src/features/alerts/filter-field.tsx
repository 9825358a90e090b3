// The devices that a rule is about, by what the list of devices can be narrowed by.
import type { FacetName } from '@bowline/contract/operations/devices'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { type DeviceChoices, PRESENCES, choicesOfFilter, deviceFilter } from '../../core/devices/device-filter.ts'
import { Button, Group, MultiSelect, NativeSelect, Text, TextInput } from '../../ui/kit.ts'
import { facetQuery } from '../devices/facet-query.ts'
import { devicesMessages } from '../devices/messages.ts'
import { alertsMessages } from './messages.ts'

const texts = alertsMessages.filter
const FACETS = [
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
  // The text as typed: a filter has no spaces at the end of a word.
  const [words, setWords] = useState(() => choicesOfFilter(filter)?.words ?? '')
  const choices = choicesOfFilter(filter)
  // Tags have a field of their own, in which any of them suffices.
  if (!choices || choices.tags) {
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
    <>
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
      <Group grow align="start" gap="xs">
        {FACETS.map(([by, name]) => (
          <Facet
            key={by}
            by={by}
            chosen={choices[name] ?? []}
            others={{ ...choices, [name]: undefined }}
            onChange={(values) => set({ [name]: values })}
          />
        ))}
        <NativeSelect
          label={devicesMessages.presence}
          value={choices.presence ?? ''}
          data={[
            { value: '', label: devicesMessages.anyPresence },
            ...PRESENCES.map((value) => ({ value, label: devicesMessages.presences[value] })),
          ]}
          onChange={({ currentTarget: { value } }) => set({ presence: PRESENCES.find((one) => one === value) })}
        />
      </Group>
    </>
  )
}

interface FacetProps {
  readonly by: FacetName & keyof typeof devicesMessages.facets
  readonly chosen: readonly string[]
  /** The other conditions of the filter. */
  readonly others: DeviceChoices
  readonly onChange: (values: readonly string[]) => void
}

function Facet({ by, chosen, others, onChange }: FacetProps) {
  const { api } = useRuntime()
  const { data = [] } = useQuery(facetQuery(api, by, { kind: 'devices', status: 'accepted', ...others }))
  return (
    <MultiSelect
      label={devicesMessages.facets[by]}
      value={[...chosen]}
      data={[...new Set([...data.map(({ value }) => value), ...chosen])]}
      maxValues={8}
      searchable
      hidePickedOptions
      onChange={onChange}
    />
  )
}
