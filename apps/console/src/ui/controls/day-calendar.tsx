// The calendar of a filter by days, with the ranges that people ask for most. Loaded when it is first opened, as is its
// stylesheet: the one of the console is part of every first page.
import { DatePicker } from '@mantine/dates'
import stylesheet from '@mantine/dates/styles.css?url'
import { type RefObject, useState } from 'react'
import { lazily } from '../../platform/lazily.ts'
import { locale } from '../../platform/language/language.ts'
import { Button, Popover } from '../kit.ts'
import { uiMessages } from '../messages.ts'
import { useNow } from '../text/ticker.ts'
import { Anchor } from './anchor.tsx'
import { type Days, dayOf, formatDay, presets } from './days.ts'
import classes from './day-calendar.module.css'

const texts = uiMessages.days

interface DayCalendarProps extends Days {
  readonly button: RefObject<HTMLElement | null>
  readonly opened: boolean
  readonly onClose: () => void
  readonly onChoose: (days: Days) => void
}

export function DayCalendar({ button, opened, onClose, ...days }: DayCalendarProps) {
  return (
    <Popover opened={opened} onChange={onClose} position="bottom-start" trapFocus withinPortal>
      <Popover.Target>
        <Anchor button={button} />
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.label} className={classes['dropdown'] ?? ''}>
        <link rel="stylesheet" href={stylesheet} precedence="default" />
        <Choice {...days} />
      </Popover.Dropdown>
    </Popover>
  )
}

/** Mounted with each opening: it begins with the range of the list. */
function Choice({ from, to, onChoose }: Days & { readonly onChoose: (days: Days) => void }) {
  const today = dayOf(new Date(useNow()))
  const [picked, setPicked] = useState<[string | null, string | null]>([
    from ?? to ?? null,
    to ?? (from ? today : null),
  ])
  return (
    <>
      <div className={classes['presets']}>
        {presets(today).map((preset) => (
          <Preset
            key={preset.name}
            name={preset.name}
            isChosen={from === preset.days.from && to === preset.days.to}
            onChoose={() => onChoose(preset.days)}
          />
        ))}
        <Preset
          name={texts.any}
          isChosen={from === undefined && to === undefined}
          onChoose={() => onChoose({ from: undefined, to: undefined })}
        />
      </div>
      <DatePicker
        type="range"
        allowSingleDateInRange
        hideOutsideDates
        value={picked}
        {...((to ?? from) ? { defaultDate: to ?? from ?? today } : {})}
        maxDate={today}
        // Red as errors are.
        weekendDays={[]}
        firstDayOfWeek={firstDayOfWeek()}
        getDayAriaLabel={formatDay}
        weekdayFormat={labels('weekday')}
        monthLabelFormat={labels('month')}
        monthsListFormat={labels('months')}
        ariaLabels={{
          nextMonth: texts.nextMonth,
          previousMonth: texts.previousMonth,
          nextYear: texts.nextYear,
          previousYear: texts.previousYear,
          nextDecade: texts.nextDecade,
          previousDecade: texts.previousDecade,
        }}
        onChange={(next) => {
          setPicked(next)
          const [first, last] = next
          if (first !== null && last !== null) onChoose({ from: first, to: last })
        }}
      />
    </>
  )
}

interface PresetProps {
  readonly name: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function Preset({ name, isChosen, onChoose }: PresetProps) {
  return (
    <Button
      size="compact-sm"
      variant={isChosen ? 'light' : 'subtle'}
      justify="start"
      aria-pressed={isChosen}
      onClick={onChoose}
    >
      {name}
    </Button>
  )
}

const FORMATS = {
  weekday: { weekday: 'short' },
  month: { month: 'long', year: 'numeric' },
  months: { month: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>
const formats = lazily(() => ({
  weekday: new Intl.DateTimeFormat(locale, FORMATS.weekday),
  month: new Intl.DateTimeFormat(locale, FORMATS.month),
  months: new Intl.DateTimeFormat(locale, FORMATS.months),
}))

/** Labels in the console's language, without the texts of another library. */
function labels(kind: keyof typeof FORMATS): (day: string) => string {
  return (day) => formats()[kind].format(new Date(`${day.slice(0, 10)}T12:00:00`))
}

interface WithWeeks extends Intl.Locale {
  readonly getWeekInfo?: () => { readonly firstDay: number }
}

/** 0 is Sunday, as for the calendar; Monday where the browser does not know. */
function firstDayOfWeek(): 0 | 1 | 2 | 3 | 4 | 5 | 6 {
  const first = (new Intl.Locale(locale) as WithWeeks).getWeekInfo?.().firstDay ?? 1
  return (first % 7) as 0 | 1 | 2 | 3 | 4 | 5 | 6
}
