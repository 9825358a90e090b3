// Asks before an upload takes the place of a file.
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { Button, Group, Text } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { filesMessages } from './messages.ts'
import type { ReplaceQuestion } from './use-transfers.ts'

const texts = filesMessages.upload

interface ReplaceDialogProps {
  readonly question: ReplaceQuestion
  readonly folder: string
}

export function ReplaceDialog({ question: { name, answer }, folder }: ReplaceDialogProps) {
  return (
    <Dialog opened onClose={() => answer(false)} title={texts.exists(name)}>
      <Text size="sm">{texts.existsText(name, folder)}</Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" data-autofocus onClick={() => answer(false)}>
          {uiMessages.cancel}
        </Button>
        <Button color="red.8" onClick={() => answer(true)}>
          {texts.replace}
        </Button>
      </Group>
    </Dialog>
  )
}
