// Choice between a day and a month.
import { Button } from '../../ui/kit.ts'
import { presenceMessages as texts } from './messages.ts'
import type { Period } from './queries.ts'
import classes from './presence.module.css'

interface PeriodChoiceProps {
  readonly period: Period
  readonly onChange: (period: Period) => void
}

export function PeriodChoice({ period, onChange }: PeriodChoiceProps) {
  return (
    <fieldset aria-label={texts.period} className={classes['periods']}>
      {(['day', 'month'] as const).map((one) => (
        <Button
          key={one}
          size="compact-sm"
          variant={one === period ? 'filled' : 'default'}
          aria-pressed={one === period}
          onClick={() => onChange(one)}
        >
          {texts.periods[one]}
        </Button>
      ))}
    </fieldset>
  )
}
