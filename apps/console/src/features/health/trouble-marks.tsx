// Troubles of a device, as marks.
import type { Trouble } from '@bowline/contract/schemas/fleet/health'
import { healthMessages as texts } from './messages.ts'
import classes from './health.module.css'

export function TroubleMarks({ troubles }: { readonly troubles: readonly Trouble[] }) {
  if (troubles.length === 0) return <span>{texts.well}</span>
  return (
    <span className={classes['marks']}>
      {troubles.map((trouble) => (
        <span key={trouble} className={classes['mark']} data-note={trouble === 'rebooted' || undefined}>
          {texts.troubles[trouble]}
        </span>
      ))}
    </span>
  )
}
