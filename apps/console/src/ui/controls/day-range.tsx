// A filter of a list by two days between which it is: both are part of it.
import { ChevronDown } from 'lucide-react'
import { useRef, useState } from 'react'
import { pageFile } from '../../platform/page-files.ts'
import { notifyFailure } from '../feedback/notify.tsx'
import { Button } from '../kit.ts'
import { uiMessages } from '../messages.ts'
import classes from './choice-menu.module.css'
import { type Days, rangeText } from './days.ts'

const texts = uiMessages.days
const loadCalendar = pageFile(() => import('./day-calendar.tsx'), 'asked')

export function DayRange({ from, to, onChoose }: Days & { readonly onChoose: (change: Days) => void }) {
  const button = useRef<HTMLButtonElement>(null)
  const [calendar, setCalendar] = useState<typeof import('./day-calendar.tsx')>()
  const [opened, setOpened] = useState(false)
  const chosen = rangeText({ from, to })
  const toggle = (): void => {
    if (opened) return setOpened(false)
    loadCalendar().then(
      (loaded) => {
        setCalendar(loaded)
        setOpened(true)
      },
      (error: unknown) => notifyFailure({ title: uiMessages.menuFailed, error, onRetry: toggle }),
    )
  }
  return (
    <>
      <Button
        ref={button}
        size="compact-sm"
        variant="default"
        fw={500}
        className={classes['face'] ?? ''}
        data-chosen={chosen !== '' || undefined}
        aria-haspopup="dialog"
        aria-expanded={opened}
        rightSection={<ChevronDown size={13} aria-hidden />}
        onClick={toggle}
      >
        <span className={classes['name']}>{texts.label}</span>
        {chosen === '' ? null : <span className={classes['value']}>{chosen}</span>}
      </Button>
      {calendar ? (
        <calendar.DayCalendar
          button={button}
          opened={opened}
          from={from}
          to={to}
          onClose={() => {
            setOpened(false)
            // The popover mounts opened the first time, and knows nothing of where the focus was before.
            button.current?.focus()
          }}
          onChoose={(days) => {
            setOpened(false)
            onChoose(days)
          }}
        />
      ) : null}
    </>
  )
}
