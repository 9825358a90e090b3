// Confirmation of an action that destroys a lot: the person types a name or a number first.
import { useState } from 'react'
import { TextInput } from '../kit.ts'
import { uiMessages } from '../messages.ts'
import { Confirm, type ConfirmProps } from './confirm.tsx'

interface TypedConfirmProps extends Omit<ConfirmProps, 'refused'> {
  /** What has to be typed, as it is shown. */
  readonly word: string
  /** Whether the typed text, without spaces around it, is the word. Absent: it has to be equal. */
  readonly isWord?: (typed: string) => boolean
}

export function TypedConfirm({
  word,
  isWord = (typed) => typed === word,
  children,
  onClose,
  ...confirm
}: TypedConfirmProps) {
  const [typed, setTyped] = useState('')
  const close = () => {
    setTyped('')
    onClose()
  }
  return (
    <Confirm {...confirm} onClose={close} refused={!isWord(typed.trim())}>
      {children}
      <TextInput
        mt="md"
        label={uiMessages.typeToConfirm(word)}
        value={typed}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Confirm>
  )
}
