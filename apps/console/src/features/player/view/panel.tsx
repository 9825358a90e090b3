// Side panel: search, events, the screen as text.
import type { ReactNode } from 'react'
import { TabPanel } from '../../../ui/controls/tab-panel.tsx'
import { playerMessages as texts } from '../messages.ts'
import classes from '../player.module.css'

export type Tab = keyof typeof texts.tabs

interface PanelProps {
  readonly tab: Tab
  readonly onTab: (tab: Tab) => void
  readonly children: ReactNode
}

export function Panel({ tab, onTab, children }: PanelProps) {
  const tabs = { search: texts.tabs.search, events: texts.tabs.events, text: texts.tabs.text }
  return (
    <aside className={classes['panel']} aria-label={texts.panel}>
      <TabPanel label={texts.panel} tabs={tabs} current={tab} onChange={onTab} panelClassName={classes['panelBody']}>
        {children}
      </TabPanel>
    </aside>
  )
}
