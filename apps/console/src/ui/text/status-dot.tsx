// A two-state indicator: filled or hollow, so that it does not rely on colour alone.
import classes from './status-dot.module.css'

interface StatusDotProps {
  readonly on: boolean
  /** Accessible name of the state. */
  readonly label: string
  /** Shows the label as text too. */
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
      <span className={classes['hidden']}>{label}</span>
    </span>
  )
}
