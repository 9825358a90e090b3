// Presets of the session list as tabs: each is an address.
import { UserId } from '@bowline/contract/schemas/common'
import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { dayOf } from '../../ui/controls/days.ts'
import { TabBar } from '../../ui/list/tab-bar.tsx'
import { sessionsMessages as texts } from './messages.ts'
import { sessionListQuery } from './queries.ts'
import { type SessionsSearch, isNarrowedTo, narrowedTo, sessionFilter } from './search.ts'

interface SessionPresetsProps {
  readonly search: SessionsSearch
  /** At the end of the line. */
  readonly children: ReactNode
}

export function SessionPresets({ search, children }: SessionPresetsProps) {
  const { api } = useRuntime()
  // The others would count through every session that there ever was.
  const running = useQuery(sessionListQuery(api, { page: 1, perPage: 1, filter: sessionFilter({ state: 'active' }) }))
    .data?.total
  const me = UserId.safeParse(usePerson()?.id)
  const presets = [
    { key: 'all', narrowing: {} },
    { key: 'active', narrowing: { state: 'active' } },
    { key: 'today', narrowing: { from: today() } },
    ...(me.success ? [{ key: 'mine', narrowing: { person: me.data } } as const] : []),
    { key: 'recorded', narrowing: { recorded: 'yes' } },
    { key: 'refused', narrowing: { state: 'refused' } },
  ] as const
  const tabs = presets.map(({ key, narrowing }) => ({
    key,
    label: texts.presets[key],
    count: key === 'active' ? running : undefined,
    active: isNarrowedTo(search, narrowing),
    render: (inner: ReactNode, properties: { className: string }) => (
      <Link to="/sessions" search={narrowedTo(search, narrowing)} {...properties}>
        {inner}
      </Link>
    ),
  }))
  return (
    <TabBar label={texts.presetsLabel} tabs={tabs}>
      {children}
    </TabBar>
  )
}

const today = (): string => dayOf(new Date())
