// Side panel: search, events, the screen as text.
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import { playerMessages as texts } from '../messages.ts'
import classes from '../player.module.css'

export type Tab = keyof typeof texts.tabs
const TABS: readonly Tab[] = ['search', 'events', 'text']

interface PanelProps {
  readonly tab: Tab
  readonly onTab: (tab: Tab) => void
  readonly children: ReactNode
}

export function Panel({ tab, onTab, children }: PanelProps) {
  const id = useId()
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab
    onTab(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <aside className={classes['panel']} aria-label={texts.panel}>
      <div role="tablist" tabIndex={-1} aria-label={texts.panel} className={classes['tabs']} onKeyDown={onKeyDown}>
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === tab}
            aria-controls={`${id}-panel`}
            tabIndex={name === tab ? 0 : -1}
            onClick={() => onTab(name)}
          >
            {texts.tabs[name]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`} className={classes['panelBody']}>
        {children}
      </div>
    </aside>
  )
}
