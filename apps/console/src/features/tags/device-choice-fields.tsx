// Form section that selects devices: all, by name, by tag.
import { NativeSelect, Stack, TextInput } from '../../ui/kit.ts'
import { DEVICE_CHOICES, type DeviceChoice } from './device-choice.ts'
import { tagsMessages as texts } from './messages.ts'
import { TagsField } from './tags-field.tsx'

interface DeviceChoiceFieldsProps {
  readonly choice: DeviceChoice
  readonly onChange: (change: Partial<DeviceChoice>) => void
  readonly errors: { readonly hostname: string | null; readonly tags: string | null }
  /** Whether the pattern matches whole names or substrings. */
  readonly patternHint: string
}

export function DeviceChoiceFields({ choice, onChange, errors, patternHint }: DeviceChoiceFieldsProps) {
  return (
    <Stack gap="xs">
      <NativeSelect
        label={texts.which}
        value={choice.devices}
        data={DEVICE_CHOICES.map((value) => ({ value, label: texts.whichDevices[value] }))}
        onChange={(event) => {
          const devices = DEVICE_CHOICES.find((each) => each === event.currentTarget.value)
          if (devices) onChange({ devices })
        }}
      />
      {choice.devices === 'pattern' ? (
        <TextInput
          label={texts.pattern}
          description={patternHint}
          value={choice.hostname}
          error={errors.hostname}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => onChange({ hostname: event.currentTarget.value })}
        />
      ) : null}
      {choice.devices === 'tags' ? (
        <TagsField tags={choice.tags} error={errors.tags} onChange={(tags) => onChange({ tags })} />
      ) : null}
    </Stack>
  )
}
