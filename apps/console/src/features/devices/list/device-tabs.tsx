// Tabs of the device list, by status.
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { TabBar } from '../../../ui/list/tab-bar.tsx'
import { infoQuery } from '../../instance/queries.ts'
import { devicesMessages as texts } from '../messages.ts'
import { type DeviceKind, deviceListQuery, statsQuery } from '../../../core/devices/queries.ts'
import { deviceFilter } from '../../../core/devices/device-filter.ts'
import { DEVICE_TABS, type DeviceTab, type DevicesSearch, choicesOf, deviceListOf, inTab } from '../search.ts'

interface DeviceTabsProps {
  readonly kind: DeviceKind
  /** What narrows the list is kept when the tab changes. */
  readonly search: DevicesSearch
  /** At the end of the line. */
  readonly children: ReactNode
}

interface Counts {
  readonly of: ReadonlyMap<DeviceTab, number | undefined>
  /** They count what the search and the filters find, not all. */
  readonly isSearched: boolean
}

/**
 * Number of rows in each tab that match the search and the filters. None while nothing matches in any of them: the list says
 * so, and three zeros look like a namespace without devices.
 */
function useCounts(kind: DeviceKind, search: DevicesSearch): Counts {
  const { api } = useRuntime()
  const isSearched = deviceFilter(choicesOf(search)) !== undefined
  const { data: stats } = useQuery({ ...statsQuery(api), enabled: !isSearched })
  const searched = useQueries({
    queries: COUNTED.map((status) => ({
      ...deviceListQuery(api, { ...deviceListOf(inTab(search, status)), perPage: 1 }, kind),
      enabled: isSearched,
    })),
  })
  const all = stats?.[kind]
  const totals = isSearched ? searched.map(({ data }) => data?.total) : [all?.registered, all?.pending, all?.rejected]
  const isNothing = isSearched && totals.every((total) => total === 0)
  const of = new Map<DeviceTab, number | undefined>(isNothing ? [] : COUNTED.map((status, i) => [status, totals[i]]))
  return { of, isSearched }
}

const COUNTED = ['accepted', 'pending', 'rejected'] as const

export function DeviceTabs({ kind, search, children }: DeviceTabsProps) {
  const { api } = useRuntime()
  const { status } = search
  const counts = useCounts(kind, search)
  // Other editions keep no removed devices.
  const { data: info } = useQuery(infoQuery(api))
  const kept = DEVICE_TABS.filter((each) => each !== 'removed' || info?.edition === 'cloud' || status === 'removed')
  const tabs = kept.map((each) => ({
    key: each,
    label: texts.tabs[each],
    active: each === status,
    count: counts.of.get(each),
    countOf: counts.isSearched ? texts.countMatching : undefined,
    attention: each === 'pending' && (counts.of.get(each) ?? 0) > 0,
    render: (inner: ReactNode, properties: { className: string }) => (
      <Link to={kind === 'devices' ? '/devices' : '/containers'} search={inTab(search, each)} {...properties}>
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
