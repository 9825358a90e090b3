// Field for a number with its unit, and the button that saves it once it has changed.
import type { FormEvent } from 'react'
import type { ContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Group, Text, TextInput } from '../../ui/kit.ts'
import { settingsMessages as texts } from './messages.ts'

interface NumberFormProps {
  /** Props of the field, as the form gives them. */
  readonly field: ReturnType<ContractForm['field']>
  readonly unit: string
  readonly isChanged: boolean
  readonly disabled: boolean
  readonly onSubmit: (event: FormEvent) => Promise<void>
}

export function NumberForm({ field: { label, ...field }, unit, isChanged, disabled, onSubmit }: NumberFormProps) {
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)}>
      <Group gap="xs" align="start" wrap="nowrap">
        <TextInput
          {...field}
          size="xs"
          w={150}
          aria-label={label}
          inputMode="numeric"
          autoComplete="off"
          disabled={disabled}
          rightSection={
            <Text size="xs" c="dimmed">
              {unit}
            </Text>
          }
          rightSectionWidth={48}
        />
        {isChanged ? (
          <Button type="submit" size="xs">
            {texts.save}
          </Button>
        ) : null}
      </Group>
    </form>
  )
}
