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
      <TextInput
        type="date"
        size="xs"
        aria-label={texts.from}
        leftSection={texts.fromShort}
        leftSectionWidth={40}
        className={classes['day'] ?? ''}
        value={from ?? ''}
        max={to}
        onChange={(event) => onChoose({ from: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        size="xs"
        aria-label={texts.to}
        leftSection={texts.toShort}
        leftSectionWidth={40}
        className={classes['day'] ?? ''}
        value={to ?? ''}
        min={from}
        onChange={(event) => onChoose({ to: event.currentTarget.value || undefined })}
      />
    </>
  )
}
