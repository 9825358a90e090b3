// Gives a tab a name of the person's own.
import { useState } from 'react'
import { Button, Group, Modal, Stack, TextInput } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { terminalMessages } from '../messages.ts'
import { MAX_TAB_NAME } from '../saved-tabs.ts'
import type { Workspace } from '../workspace.ts'

const texts = terminalMessages.rename

interface RenameTabProps {
  readonly workspace: Workspace
  readonly tab: string
  readonly onClose: () => void
}

export function RenameTab({ workspace, tab, onClose }: RenameTabProps) {
  const [name, setName] = useState(() => workspace.state.get().tabs.find(({ id }) => id === tab)?.name ?? '')
  return (
    <Modal
      opened
      onClose={onClose}
      returnFocus={false}
      title={texts.title}
      closeButtonProps={{ 'aria-label': uiMessages.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          workspace.rename(tab, name)
          onClose()
        }}
      >
        <Stack gap="md">
          <TextInput
            label={texts.name}
            description={texts.hint}
            value={name}
            maxLength={MAX_TAB_NAME}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {uiMessages.cancel}
            </Button>
            <Button type="submit">{texts.save}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
