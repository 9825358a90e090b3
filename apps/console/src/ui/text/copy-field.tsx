// One line or block of text to copy, in monospace. The text wraps; it is never cut.
import { CopyButton } from './copy-button.tsx'
import classes from './copy-field.module.css'

interface CopyFieldProps {
  readonly text: string
  /** Names the text for the copy button. */
  readonly what: string
  /** Its copy button has the focus when its dialog opens. */
  readonly focusFirst?: boolean
}

export function CopyField({ text, what, focusFirst = false }: CopyFieldProps) {
  return (
    <div className={classes['field']}>
      <code className={classes['text']}>{text}</code>
      <CopyButton text={text} what={what} focusFirst={focusFirst} />
    </div>
  )
}
