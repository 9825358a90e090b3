// Edits where a person has placed a device: two coordinates, or none.
import { useId, useState } from 'react'
import { Group, Stack, Text, TextInput } from '../../../ui/kit.ts'
import { devicesMessages as texts } from '../messages.ts'
import classes from './device-page.module.css'
import { type Position, positionOf } from './typed-position.ts'

interface PositionEditorProps {
  readonly position: Position | null
  readonly error: string | null
  readonly onChange: (position: Position | null) => void
}

export function PositionEditor({ position, error, onChange }: PositionEditorProps) {
  const hint = useId()
  const [typed, setTyped] = useState({
    latitude: position ? String(position.latitude) : '',
    longitude: position ? String(position.longitude) : '',
  })
  const change = (part: Partial<typeof typed>): void => {
    const next = { ...typed, ...part }
    setTyped(next)
    onChange(positionOf(next))
  }
  return (
    <Stack component="fieldset" gap={6} className={classes['fields'] ?? ''}>
      <Text component="legend" size="sm" fw={500}>
        {texts.editLabels.position}
      </Text>
      <Text size="xs" c="dimmed" id={hint}>
        {texts.positionHint}
      </Text>
      <Group gap={6} wrap="nowrap">
        {(['latitude', 'longitude'] as const).map((name) => (
          <TextInput
            key={name}
            flex={1}
            aria-label={texts[name]}
            placeholder={texts[name]}
            aria-describedby={hint}
            inputMode="text"
            autoComplete="off"
            value={typed[name]}
            maxLength={20}
            onChange={(event) => change({ [name]: event.currentTarget.value })}
          />
        ))}
      </Group>
      {error === null ? null : (
        <Text size="xs" c="red" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  )
}
