// Copyable text in monospace. It wraps and is never truncated.
import { CopyButton } from './copy-button.tsx'
import classes from './copy-field.module.css'

interface CopyFieldProps {
  readonly text: string
  /** Noun for the copy button's label. */
  readonly what: string
  /** The copy button takes the focus when its dialog opens. */
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
