// Contents of the bell: pending devices, changes of many devices and recently ended sessions.
import type { Device } from '@bowline/contract/schemas/device'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay, useRuntime } from '../../../core/context.tsx'
import type { ListPage } from '../../../live/apply-events.ts'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { FocusKeeper } from '../../../ui/list/focus-keeper.tsx'
import { Text } from '../../../ui/kit.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { endedBecause } from '../../sessions/cause/ended-because.ts'
import { sessionsMessages } from '../../sessions/messages.ts'
import { sessionListQuery } from '../../sessions/queries.ts'
import { sessionFilter } from '../../sessions/search.ts'
import { nameOf } from '../../sessions/session-name.ts'
import { useDeviceActions } from '../actions.ts'
import { DeviceRowActions } from '../device-row-actions.tsx'
import { KeyFingerprint } from '../key-fingerprint.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { pendingDevicesQuery } from '../../../core/devices/queries.ts'
import { BulkChanges } from './bulk-changes.tsx'
import classes from './pending-bell.module.css'
import { PendingRequests } from './pending-requests.tsx'

const SHOWN = 3

interface BellContentsProps {
  /** A link was followed. */
  readonly onLeave: () => void
}

export function BellContents({ onLeave }: BellContentsProps) {
  const { api } = useRuntime()
  const mayDecide = useMay('firewallEdit')
  const pending = useQuery(pendingDevicesQuery(api))
  return (
    <div className={classes['contents']}>
      <section aria-label={texts.bellTitle}>
        <FocusKeeper item="li" target="button">
          <h2 className={classes['head']}>{texts.bellTitle}</h2>
          <PendingList pending={pending} onLeave={onLeave} />
        </FocusKeeper>
      </section>
      <BulkChanges onLeave={onLeave} />
      {mayDecide ? <PendingRequests onLeave={onLeave} /> : null}
      <section aria-label={texts.bellEnded}>
        <h2 className={classes['head']}>{texts.bellEnded}</h2>
        <EndedSessions onLeave={onLeave} />
      </section>
    </div>
  )
}

interface PendingListProps extends BellContentsProps {
  readonly pending: UseQueryResult<ListPage<Device>>
}

function PendingList({ pending, onLeave }: PendingListProps) {
  const actions = useDeviceActions()
  const total = pending.data?.total ?? 0
  const shown = pending.data?.items.slice(0, SHOWN) ?? []
  return (
    <>
      {pending.isError && !pending.data ? (
        <ErrorPanel title={texts.loadFailed} error={pending.error} onRetry={() => pending.refetch()} />
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
                {device.info ? `${device.info.pretty_name} · ` : null}
                {device.remote_addr} · <TimeAgo time={device.created_at} />
              </div>
              <div className={classes['fingerprint']}>
                <KeyFingerprint publicKey={device.public_key} />
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

const ENDED = { page: 1, perPage: SHOWN, filter: sessionFilter({ state: 'ended' }) } as const

/** The most recently ended sessions, with their causes. */
function EndedSessions({ onLeave }: BellContentsProps) {
  const { api } = useRuntime()
  const ended = useQuery(sessionListQuery(api, ENDED))
  return (
    <>
      {ended.isError && !ended.data ? (
        <ErrorPanel title={sessionsMessages.loadFailed} error={ended.error} onRetry={() => ended.refetch()} />
      ) : null}
      {ended.data?.total === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          {texts.bellNoneEnded}
        </Text>
      ) : null}
      <ul className={classes['list']}>
        {ended.data?.items.map((session) => (
          <li key={session.uid} className={classes['item']}>
            <div className={classes['text']}>
              <Link to="/sessions/$uid" params={{ uid: session.uid }} className={classes['name']} onClick={onLeave}>
                {nameOf(session)}
              </Link>
              <div className={classes['facts']}>
                {session.closed ? <TimeAgo time={session.closed.at} /> : null} · {endedBecause(session.closed)}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
