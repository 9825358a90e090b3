// Asks whether a device may put a text on the clipboard: which one, and how much.
import { useState } from 'react'
import { useStore } from '../../../core/context.tsx'
import { Button, Checkbox, Group } from '../../../ui/kit.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { cleanLine } from './clean-text.ts'
import { signalMessages } from './messages.ts'
import type { Signals } from './signals.ts'
import classes from './signals.module.css'

const texts = signalMessages.clipboard
const SHOWN_CHARACTERS = 200

interface ClipboardQuestionProps {
  readonly signals: Signals
  /** Name of the device. */
  readonly device: string
  readonly onAnswered: () => void
}

export function ClipboardQuestion({ signals, device, onAnswered }: ClipboardQuestionProps) {
  const asked = useStore(signals.clipboard)
  const [remember, setRemember] = useState(false)
  if (!asked) return null
  const { text } = asked
  const answer = (isAllowed: boolean) => {
    signals.answer(isAllowed, remember && text !== undefined)
    setRemember(false)
    onAnswered()
  }
  return (
    <div role="alert" className={classes['question']}>
      <span className={classes['asked']}>
        {text === undefined ? texts.tooLong(device) : texts.asks(device, formatCount(text.length))}
        {text === undefined ? null : <code className={classes['text']}>{cleanLine(text, SHOWN_CHARACTERS)}</code>}
      </span>
      {text === undefined ? (
        <Button size="compact-sm" variant="default" onClick={() => answer(false)}>
          {texts.dismiss}
        </Button>
      ) : (
        <Group gap="xs">
          <Checkbox
            size="xs"
            label={texts.remember}
            checked={remember}
            onChange={(event) => setRemember(event.currentTarget.checked)}
          />
          <Button size="compact-sm" variant="default" onClick={() => answer(false)}>
            {texts.deny}
          </Button>
          <Button size="compact-sm" onClick={() => answer(true)}>
            {texts.allow}
          </Button>
        </Group>
      )}
    </div>
  )
}
