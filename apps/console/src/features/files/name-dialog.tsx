// Asks for a name: of a new folder, or a new one of a file.
import { useState } from 'react'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Group, Stack, TextInput } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { filesMessages } from './messages.ts'
import { nameFault } from './sftp/paths.ts'

export interface NameQuestion {
  readonly title: string
  readonly label: string
  readonly name: string
  readonly submit: string
  /** "The folder was not created." */
  readonly failed: string
  /** Rejects with the reason, which the dialog shows. */
  readonly act: (name: string) => Promise<void>
}

interface NameDialogProps {
  readonly question: NameQuestion
  readonly onClose: () => void
}

export function NameDialog({ question, onClose }: NameDialogProps) {
  const { title, label, submit, failed, act } = question
  const [name, setName] = useState(question.name)
  const [fault, setFault] = useState<string>()
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const send = async () => {
    const found = nameFault(name)
    setFault(found && filesMessages.names[found])
    if (found !== undefined) return
    setBusy(true)
    setFailure(undefined)
    try {
      await act(name)
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Dialog opened onClose={onClose} title={title}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <Stack gap="md">
          {failure === undefined ? null : <ErrorPanel title={failed} error={failure} />}
          <TextInput
            label={label}
            description={filesMessages.names.hint}
            value={name}
            error={fault}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {uiMessages.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
