// A state of two: filled or hollow, so that the difference is not one of colour alone.
import { VisuallyHidden } from '../kit.ts'
import classes from './status-dot.module.css'

interface StatusDotProps {
  readonly on: boolean
  /** Names the state. */
  readonly label: string
  /** Also in writing. */
  readonly text?: true
}

export function StatusDot({ on, label, text }: StatusDotProps) {
  if (text) {
    return (
      <span className={classes['written']} data-on={on}>
        <span className={classes['dot']} data-on={on} />
        {label}
      </span>
    )
  }
  return (
    <span className={classes['dot']} data-on={on} title={label}>
      <VisuallyHidden>{label}</VisuallyHidden>
    </span>
  )
}
