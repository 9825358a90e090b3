// Devices by status.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRuntime } from '../../app/context.tsx'
import { TabBar } from '../../ui/tab-bar.tsx'
import { infoQuery } from '../instance/queries.ts'
import { devicesMessages as texts } from './messages.ts'
import { type DeviceKind, statsQuery } from './queries.ts'
import { DEVICE_TABS, type DeviceTab, type DevicesSearch } from './search.ts'

interface DeviceTabsProps {
  readonly kind: DeviceKind
  /** Words and tag that are looked for stay when the tab changes. */
  readonly search: DevicesSearch
  /** At the end of the line. */
  readonly children: ReactNode
}

export function DeviceTabs({ kind, search: { status, q, tag }, children }: DeviceTabsProps) {
  const { api } = useRuntime()
  const { data: stats } = useQuery({ ...statsQuery(api), enabled: kind === 'devices' })
  // The counters are of devices and containers together where both have a status; of containers alone there are none.
  const counts: Partial<Record<DeviceTab, number | undefined>> =
    kind === 'devices'
      ? { accepted: stats?.registered_devices, pending: stats?.pending_devices, rejected: stats?.rejected_devices }
      : {}
  // Other editions keep nothing of a device that was removed.
  const { data: info } = useQuery(infoQuery(api))
  const kept = DEVICE_TABS.filter((each) => each !== 'removed' || info?.edition === 'cloud' || status === 'removed')
  const tabs = kept.map((each) => ({
    key: each,
    label: texts.tabs[each],
    active: each === status,
    count: counts[each],
    attention: each === 'pending' && (counts[each] ?? 0) > 0,
    render: (inner: ReactNode, properties: { className: string }) => (
      <Link to={kind === 'devices' ? '/devices' : '/containers'} search={{ status: each, q, tag }} {...properties}>
        {inner}
      </Link>
    ),
  }))
  return (
    <TabBar label={texts.tabsLabel} tabs={tabs}>
      {children}
    </TabBar>
  )
}
