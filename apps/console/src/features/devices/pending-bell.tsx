// The bell: devices that wait for somebody, to accept or reject wherever one is.
import type { Device } from '@bowline/contract/schemas/device'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { useState } from 'react'
import { useRuntime } from '../../app/context.tsx'
import type { ListPage } from '../../live/apply-events.ts'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { FocusKeeper } from '../../ui/focus-keeper.tsx'
import { ActionIcon, Popover, Text } from '../../ui/kit.ts'
import { formatCount } from '../../ui/numbers.ts'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { useDeviceActions } from './actions.ts'
import { DeviceRowActions } from './device-row-actions.tsx'
import { devicesMessages as texts } from './messages.ts'
import { pendingDevicesQuery } from './queries.ts'
import classes from './pending-bell.module.css'

const SHOWN = 5

export function PendingBell() {
  const { api } = useRuntime()
  const pending = useQuery(pendingDevicesQuery(api))
  const [opened, setOpened] = useState(false)
  const total = pending.data?.total ?? 0
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" width={340} trapFocus returnFocus shadow="md">
      <Popover.Target>
        <ActionIcon
          size={32}
          aria-label={texts.bell(total)}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
          className={classes['bell'] ?? ''}
          data-waiting={total > 0 || undefined}
        >
          <Bell size={17} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label={texts.bellTitle}>
        <FocusKeeper item="li" target="button">
          <div className={classes['head']}>
            <Text fw={600} size="sm">
              {texts.bellTitle}
            </Text>
          </div>
          <PendingList pending={pending} onLeave={() => setOpened(false)} />
        </FocusKeeper>
      </Popover.Dropdown>
    </Popover>
  )
}

interface PendingListProps {
  readonly pending: UseQueryResult<ListPage<Device>>
  /** A link was followed. */
  readonly onLeave: () => void
}

function PendingList({ pending, onLeave }: PendingListProps) {
  const actions = useDeviceActions()
  const total = pending.data?.total ?? 0
  const shown = pending.data?.items.slice(0, SHOWN) ?? []
  return (
    <>
      {pending.isError && !pending.data ? (
        <ErrorPanel title={texts.loadFailed} error={pending.error} onRetry={() => void pending.refetch()} />
      ) : null}
      {pending.data && shown.length === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          {texts.emptyPendingText}
        </Text>
      ) : null}
      <ul className={classes['list']}>
        {shown.map((device) => (
          <li key={device.uid} className={classes['item']}>
            <div className={classes['text']}>
              <Link to="/devices/$uid" params={{ uid: device.uid }} className={classes['name']} onClick={onLeave}>
                {device.name}
              </Link>
              <div className={classes['facts']}>
                {device.remote_addr} · <TimeAgo time={device.created_at} />
              </div>
            </div>
            <div className={classes['actions']}>
              <DeviceRowActions
                device={device}
                onAccept={() => void actions.run('accept', device)}
                onReject={() => void actions.run('reject', device)}
              />
            </div>
          </li>
        ))}
      </ul>
      {total > shown.length ? (
        <Link to="/devices" search={{ status: 'pending' }} className={classes['all']} onClick={onLeave}>
          {texts.bellAll(formatCount(total))}
        </Link>
      ) : null}
    </>
  )
}
