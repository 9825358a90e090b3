// Copyable text in monospace. It wraps and is never truncated.
import { CopyButton } from './copy-button.tsx'
import classes from './copy-field.module.css'

interface CopyFieldProps {
  readonly text: string
  /** Noun for the copy button's label. */
  readonly what: string
  /** The copy button takes the focus when its dialog opens. */
  readonly focusFirst?: boolean
  /** By the button, or what was selected of it. */
  readonly onCopied?: () => void
}

export function CopyField({ text, what, focusFirst = false, onCopied }: CopyFieldProps) {
  return (
    <div className={classes['field']}>
      <code className={classes['text']} onCopy={onCopied}>
        {text}
      </code>
      <CopyButton text={text} what={what} focusFirst={focusFirst} onCopied={onCopied} />
    </div>
  )
}
