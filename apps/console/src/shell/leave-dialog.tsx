// The question before forms with changes are left.
import { appMessages } from '../core/messages.ts'
import { useStore } from '../core/context.tsx'
import { leaveQuestion } from '../platform/unsaved.ts'
import { Dialog } from '../ui/feedback/dialog.tsx'
import { Button, Group, Text } from '../ui/kit.ts'

const texts = appMessages.leaving

export function LeaveDialog() {
  const answer = useStore(leaveQuestion)
  return (
    <Dialog opened={answer !== undefined} onClose={() => answer?.(false)} title={texts.title}>
      <Text size="sm">{texts.text}</Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" data-autofocus onClick={() => answer?.(false)}>
          {texts.stay}
        </Button>
        <Button color="red.8" onClick={() => answer?.(true)}>
          {texts.leave}
        </Button>
      </Group>
    </Dialog>
  )
}
