// Confirmation dialog for irreversible actions. The safe answer has the focus.
import { type ReactNode, useEffect, useRef } from 'react'
import { Button, Group, Modal } from '../kit.ts'
import { uiMessages } from '../messages.ts'
import { useOpens } from './use-opens.ts'

export interface ConfirmProps {
  readonly opened: boolean
  readonly title: string
  /** Everything that will happen. */
  readonly children: ReactNode
  /** The verb, as on the button that opened it. */
  readonly action: string
  /** Disables the action, for example until a word is typed. */
  readonly refused?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function Confirm({ opened, title, children, action, refused = false, onConfirm, onClose }: ConfirmProps) {
  // The dialog takes clicks while it fades out: a double click must not act twice.
  const isDone = useRef(false)
  useEffect(() => {
    if (opened) isDone.current = false
  }, [opened])
  const isOpen = useOpens(opened)
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': uiMessages.close }}>
      {children}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {uiMessages.cancel}
        </Button>
        <Button
          color="red.8"
          disabled={refused}
          onClick={() => {
            if (isDone.current) return
            isDone.current = true
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
