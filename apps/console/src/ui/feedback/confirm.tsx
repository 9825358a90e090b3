// Asks before something that cannot be taken back. The safe answer has the focus.
import type { ReactNode } from 'react'
import { Button, Group, Modal } from '../kit.ts'
import { uiMessages } from '../messages.ts'

interface ConfirmProps {
  readonly opened: boolean
  readonly title: string
  /** What will happen, completely. */
  readonly children: ReactNode
  /** The verb, as on the button that asked. */
  readonly action: string
  /** Something is missing for it, for example a word to type. */
  readonly refused?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function Confirm({ opened, title, children, action, refused = false, onConfirm, onClose }: ConfirmProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': uiMessages.close }}>
      {children}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {uiMessages.cancel}
        </Button>
        <Button
          color="red.8"
          disabled={refused}
          onClick={() => {
            onClose()
            onConfirm()
          }}
        >
          {action}
        </Button>
      </Group>
    </Modal>
  )
}
