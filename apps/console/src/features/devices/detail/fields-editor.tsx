// Edits the custom fields of a device: a line for each name and value.
import { LIMITS } from '@bowline/contract/limits'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { Button, Group, Stack, Text, TextInput } from '../../../ui/kit.ts'
import { devicesMessages as texts } from '../messages.ts'
import classes from './device-page.module.css'

type Fields = Readonly<Record<string, string>>

interface Line {
  readonly key: number
  readonly name: string
  readonly value: string
}

interface FieldsEditorProps {
  readonly fields: Fields
  readonly error: string | null
  readonly onChange: (fields: Record<string, string>) => void
}

export function FieldsEditor({ fields, error, onChange }: FieldsEditorProps) {
  const [lines, setLines] = useState<readonly Line[]>(() =>
    Object.entries(fields).map(([name, value], key) => ({ key, name, value })),
  )
  const change = (next: readonly Line[]) => {
    setLines(next)
    // A line without a name is not there yet.
    onChange(Object.fromEntries(next.flatMap(({ name, value }) => (name.trim() === '' ? [] : [[name, value]]))))
  }
  const edit = (key: number, part: Partial<Line>) =>
    change(lines.map((line) => (line.key === key ? { ...line, ...part } : line)))
  return (
    <Stack component="fieldset" gap={6} className={classes['fields'] ?? ''}>
      <Text component="legend" size="sm" fw={500}>
        {texts.editLabels.fields}
      </Text>
      <Text size="xs" c="dimmed">
        {texts.fieldsHint}
      </Text>
      {lines.map(({ key, name, value }) => (
        <Group key={key} gap={6} wrap="nowrap">
          <TextInput
            aria-label={texts.fieldName}
            placeholder={texts.fieldName}
            value={name}
            maxLength={LIMITS.deviceFields.name}
            onChange={(event) => edit(key, { name: event.currentTarget.value })}
          />
          <TextInput
            flex={1}
            aria-label={name === '' ? texts.fieldValue : `${texts.fieldValue}: ${name}`}
            placeholder={texts.fieldValue}
            value={value}
            maxLength={LIMITS.deviceFields.value}
            onChange={(event) => edit(key, { value: event.currentTarget.value })}
          />
          <IconButton
            aria-label={texts.removeField(name)}
            onClick={() => change(lines.filter((line) => line.key !== key))}
          >
            <X size={15} aria-hidden />
          </IconButton>
        </Group>
      ))}
      {error === null ? null : (
        <Text size="xs" c="red" role="alert">
          {error}
        </Text>
      )}
      {lines.length < LIMITS.deviceFields.count ? (
        <Button
          size="compact-sm"
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() =>
            setLines([...lines, { key: Math.max(-1, ...lines.map((line) => line.key)) + 1, name: '', value: '' }])
          }
        >
          {texts.addField}
        </Button>
      ) : null}
    </Stack>
  )
}
