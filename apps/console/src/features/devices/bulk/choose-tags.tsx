// Dialog that chooses tags to add to, or remove from, several devices.
import { useState } from 'react'
import { Button, Group, Stack, Text } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { TagsField } from '../../tags/tags-field.tsx'

interface ChooseTagsProps {
  readonly text: string
  /** The verb on the submit button. */
  readonly action: string
  readonly onTags: (tags: readonly string[]) => void
  readonly onCancel: () => void
}

export function ChooseTags({ text, action, onTags, onCancel }: ChooseTagsProps) {
  const [tags, setTags] = useState<readonly string[]>([])
  return (
    <Stack gap="md">
      <Text size="sm">{text}</Text>
      <TagsField tags={tags} onChange={setTags} focusFirst />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel}>
          {uiMessages.cancel}
        </Button>
        <Button disabled={tags.length === 0} onClick={() => onTags(tags)}>
          {action}
        </Button>
      </Group>
    </Stack>
  )
}
