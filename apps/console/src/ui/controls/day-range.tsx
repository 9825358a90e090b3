// Two days between which a list is: both are part of it.
import { TextInput } from '../kit.ts'
import { uiMessages } from '../messages.ts'
import classes from './day-range.module.css'

const texts = uiMessages.days

/** Days of this browser's time zone, `2026-11-20`. */
interface Days {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export function DayRange({ from, to, onChoose }: Days & { readonly onChoose: (change: Days) => void }) {
  return (
    <>
      <Day label={texts.from} short={texts.fromShort} day={from} max={to} onPick={(day) => onChoose({ from: day })} />
      <Day label={texts.to} short={texts.toShort} day={to} min={from} onPick={(day) => onChoose({ to: day })} />
    </>
  )
}

interface DayProps {
  readonly label: string
  readonly short: string
  readonly day: string | undefined
  readonly min?: string | undefined
  readonly max?: string | undefined
  readonly onPick: (day: string | undefined) => void
}

function Day({ label, short, day, min, max, onPick }: DayProps) {
  return (
    <TextInput
      type="date"
      size="xs"
      aria-label={label}
      leftSection={short}
      leftSectionWidth={40}
      className={classes['day'] ?? ''}
      value={day ?? ''}
      min={min}
      max={max}
      onChange={(event) => onPick(event.currentTarget.value || undefined)}
    />
  )
}
