// Overview of the namespace: counters, presence, incidents, pending devices, running sessions, recent devices.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { LastSeen } from '../../core/devices/last-seen.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Skeleton, Text, Title } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { Page } from '../../ui/page/page.tsx'
import { StatusDot } from '../../ui/text/status-dot.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { News } from '../announcements/news.tsx'
import { useDeviceActions } from '../devices/actions.ts'
import { DeviceRowActions } from '../devices/device-row-actions.tsx'
import { devicesMessages } from '../devices/messages.ts'
import { NoDevices } from '../devices/list/no-devices.tsx'
import { deviceListQuery, pendingDevicesQuery, statsQuery } from '../../core/devices/queries.ts'
import { IncidentsPanel } from '../presence/incidents-panel.tsx'
import { PresencePanel } from '../presence/presence-panel.tsx'
import { sessionsMessages } from '../sessions/messages.ts'
import { sessionListQuery } from '../sessions/queries.ts'
import { sessionListOf } from '../sessions/search.ts'
import { SessionDuration, SessionTarget } from '../sessions/session-cells.tsx'
import { Attention } from './attention.tsx'
import { FirstSteps } from './first-steps.tsx'
import { dashboardMessages as texts } from './messages.ts'
import { StatCards } from './stat-cards.tsx'
import { VersionsPanel } from './versions-panel.tsx'
import classes from './dashboard.module.css'

const SHOWN = 6
const RECENT = { status: 'accepted', page: 1, sort: 'last_seen', order: 'desc', words: '' } as const

export function DashboardPage() {
  const { api } = useRuntime()
  const navigate = useNavigate()
  const { data: stats } = useQuery(statsQuery(api))
  const isEmpty = stats?.devices.registered === 0 && stats.devices.pending === 0
  return (
    <Page
      title={texts.title}
      actions={
        <Button
          leftSection={<Plus size={16} aria-hidden />}
          onClick={() => void navigate({ to: '/devices', search: { add: 'yes' } })}
        >
          {devicesMessages.add}
        </Button>
      }
    >
      <News />
      <StatCards />
      <Attention />
      <FirstSteps />
      {isEmpty ? (
        <NoDevices status="accepted" />
      ) : (
        <div className={classes['panels']}>
          <PresencePanel />
          <IncidentsPanel />
          <WaitingDevices />
          <RunningSessions />
          <RecentDevices />
          <VersionsPanel />
        </div>
      )}
    </Page>
  )
}

interface PanelProps {
  readonly title: string
  /** Link to the full list. */
  readonly all: ReactNode
  readonly children: ReactNode
}

function Panel({ title, all, children }: PanelProps) {
  return (
    <section aria-label={title} className={classes['panel']}>
      <div className={classes['head']}>
        <Title order={2}>{title}</Title>
        {all}
      </div>
      {children}
    </section>
  )
}

function WaitingDevices() {
  const { api } = useRuntime()
  const { data: pending } = useQuery(pendingDevicesQuery(api))
  const actions = useDeviceActions()
  if (!pending || pending.total === 0) return null
  return (
    <Panel
      title={texts.waiting}
      all={
        <Link to="/devices" search={{ status: 'pending' }} aria-label={texts.allOf(texts.waiting)}>
          {texts.all}
        </Link>
      }
    >
      <ul className={classes['list']}>
        {pending.items.slice(0, SHOWN).map((device) => (
          <li key={device.uid} className={classes['item']}>
            <span className={classes['main']}>
              <Link to="/devices/$uid" params={{ uid: device.uid }} className={classes['link']}>
                {device.name}
              </Link>
              <Text size="xs" c="dimmed">
                {device.info?.pretty_name} · {device.remote_addr} · <TimeAgo time={device.created_at} />
              </Text>
            </span>
            <span className={classes['actions']}>
              <DeviceRowActions
                device={device}
                onAccept={() => void actions.run('accept', device)}
                onReject={() => void actions.run('reject', device)}
              />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function RunningSessions() {
  const { api } = useRuntime()
  const query = useQuery(sessionListQuery(api, sessionListOf({ page: 1, state: 'active' })))
  return (
    <Panel
      title={texts.running}
      all={
        <Link to="/sessions" aria-label={texts.allOf(sessionsMessages.title)}>
          {texts.all}
        </Link>
      }
    >
      {query.isError && !query.data ? (
        <ErrorPanel title={sessionsMessages.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.data?.items.length === 0 ? (
        <Text size="sm" c="dimmed" py="xs">
          {texts.runningEmpty}
        </Text>
      ) : null}
      <ul className={classes['list']}>
        {query.data?.items.slice(0, SHOWN).map((session) => (
          <li key={session.uid} className={classes['item']}>
            <span className={classes['main']}>
              <SessionTarget session={session} />
            </span>
            <Text size="xs" c="dimmed">
              {session.ip_address} · <SessionDuration session={session} />
            </Text>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function RecentDevices() {
  const { api } = useRuntime()
  const query = useQuery(deviceListQuery(api, RECENT))
  return (
    <Panel
      title={texts.recent}
      all={
        <Link to="/devices" aria-label={texts.allOf(devicesMessages.title)}>
          {texts.all}
        </Link>
      }
    >
      {query.isError && !query.data ? (
        <ErrorPanel title={devicesMessages.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={160} /> : null}
      <ul className={classes['list']}>
        {query.data?.items.slice(0, SHOWN).map((device) => (
          <li key={device.uid} className={classes['item']}>
            <span className={classes['main']}>
              <StatusDot on={device.online} label={device.online ? uiMessages.online : uiMessages.offline} />{' '}
              <Link to="/devices/$uid" params={{ uid: device.uid }} className={classes['link']}>
                {device.name}
              </Link>
            </span>
            <Text size="xs" c="dimmed">
              <LastSeen device={device} />
            </Text>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
