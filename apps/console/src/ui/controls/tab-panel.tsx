// Tabs over a panel that shows one of them (WAI-ARIA tabs pattern): the arrow keys choose.
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import classes from './tab-panel.module.css'

interface TabPanelProps<Key extends string> {
  /** Accessible name of the tabs. */
  readonly label: string
  /** Labels by key, in order. */
  readonly tabs: Readonly<Record<Key, string>>
  readonly current: Key
  readonly onChange: (key: Key) => void
  readonly panelClassName?: string | undefined
  readonly children: ReactNode
}

export function TabPanel<Key extends string>(props: TabPanelProps<Key>) {
  const { label, tabs, current, onChange, panelClassName, children } = props
  const id = useId()
  const keys = Object.keys(tabs) as Key[]
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const next = keys[(keys.indexOf(current) + step + keys.length) % keys.length] ?? current
    onChange(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <>
      <div role="tablist" tabIndex={-1} aria-label={label} className={classes['tabs']} onKeyDown={onKeyDown}>
        {keys.map((key) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            aria-selected={key === current}
            aria-controls={`${id}-panel`}
            tabIndex={key === current ? 0 : -1}
            onClick={() => onChange(key)}
          >
            {tabs[key]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`} className={panelClassName}>
        {children}
      </div>
    </>
  )
}
