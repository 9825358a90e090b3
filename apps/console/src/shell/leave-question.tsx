// Asks before forms with changes are left.
import { useBlocker } from '@tanstack/react-router'
import { appMessages } from '../core/messages.ts'
import { useStore } from '../core/context.tsx'
import { leaveQuestion, mayLeave } from '../platform/unsaved.ts'
import { Dialog } from '../ui/feedback/dialog.tsx'
import { Button, Group, Text } from '../ui/kit.ts'

const texts = appMessages.leaving
/** Steps in the history, which also close what the address has opened. */
const STEPS: readonly string[] = ['BACK', 'FORWARD', 'GO']

export function LeaveQuestion() {
  const answer = useStore(leaveQuestion)
  useBlocker({
    shouldBlockFn: async ({ current, next, action }) =>
      (current.pathname !== next.pathname || STEPS.includes(action)) && !(await mayLeave()),
    // platform/unsaved.ts has the browser ask, for every form.
    enableBeforeUnload: false,
  })
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
