// Dialog that chooses tags to add to, or remove from, several devices.
import { useState } from 'react'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { Button, Group, Stack, Text } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { TagsField } from '../../tags/tags-field.tsx'

interface ChooseTagsProps {
  readonly text: string
  /** The verb on the submit button. */
  readonly action: string
  /** Why it may not be done. */
  readonly refused?: string | undefined
  readonly onTags: (tags: readonly string[]) => void
  readonly onCancel: () => void
}

export function ChooseTags({ text, action, refused, onTags, onCancel }: ChooseTagsProps) {
  const [tags, setTags] = useState<readonly string[]>([])
  return (
    <Stack gap="md">
      <Text size="sm">{text}</Text>
      <TagsField tags={tags} onChange={setTags} focusFirst />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel}>
          {uiMessages.cancel}
        </Button>
        <GatedButton
          may={refused === undefined}
          why={refused ?? ''}
          disabled={tags.length === 0}
          onClick={() => onTags(tags)}
        >
          {action}
        </GatedButton>
      </Group>
    </Stack>
  )
}
