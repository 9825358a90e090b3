// Accepted, pending, rejected: links, because each is an address of its own.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRuntime } from '../../app/context.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { devicesMessages as texts } from './messages.ts'
import { statsQuery } from './queries.ts'
import { DEVICE_TABS } from './search.ts'
import classes from './device-tabs.module.css'

interface DeviceTabsProps {
  readonly status: string
  /** Words searched for; they stay when the tab changes. */
  readonly words: string | undefined
  /** At the end of the line. */
  readonly children: ReactNode
}

export function DeviceTabs({ status, words, children }: DeviceTabsProps) {
  const { api } = useRuntime()
  const { data: stats } = useQuery(statsQuery(api))
  const counts = {
    accepted: stats?.registered_devices,
    pending: stats?.pending_devices,
    rejected: stats?.rejected_devices,
  }
  return (
    <div className={classes['line']}>
      <nav aria-label={texts.tabsLabel} className={classes['tabs']}>
        {DEVICE_TABS.map((tab) => (
          <Link
            key={tab}
            to="/devices"
            search={{ status: tab, q: words }}
            className={classes['tab']}
            data-active={tab === status}
            aria-current={tab === status ? 'page' : undefined}
          >
            {texts.tabs[tab]}
            {counts[tab] === undefined ? null : (
              <span className={classes['count']} data-attention={(tab === 'pending' && counts[tab] > 0) || undefined}>
                {formatCount(counts[tab])}
              </span>
            )}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  )
}
