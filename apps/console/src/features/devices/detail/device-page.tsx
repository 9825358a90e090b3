// Page of one device: SSH line, facts, actions.
import { ApiError } from '@bowline/contract/client'
import { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { MonitorOff } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { recentDevices } from '../../../core/recent/recent.ts'
import { useRemembered } from '../../../core/recent/use-remembered.ts'
import { BackLink } from '../../../ui/page/back-link.tsx'
import { Callout } from '../../../ui/feedback/callout.tsx'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { Skeleton, Stack } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { Page } from '../../../ui/page/page.tsx'
import { StatusDot } from '../../../ui/text/status-dot.tsx'
import { AskForAccess } from '../../access-requests/ask-for-access.tsx'
import { DeviceHealthCard } from '../../health/device-health.tsx'
import { DevicePresenceCard } from '../../presence/device-presence.tsx'
import { TunnelsCard } from '../../tunnels/tunnels-card.tsx'
import { useDeviceActions } from '../actions.ts'
import { ChangedHostKey } from '../agentless/changed-host-key.tsx'
import { UserAuthority } from '../agentless/user-authority.tsx'
import { DeviceFacts } from './device-facts.tsx'
import { DeviceSessions } from './device-sessions.tsx'
import { DeviceRowActions } from '../device-row-actions.tsx'
import { FavoriteSwitch, Favorites, useFavorite, useFavorites } from '../favorites.tsx'
import { EditDevice } from './edit-device.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { deviceQuery } from '../../../core/devices/queries.ts'
import { RemoveDevice } from '../remove-device.tsx'
import { SshLine } from '../ssh-line.tsx'
import classes from './device-page.module.css'

const TRAIL = <BackLink to="/devices" label={texts.backToDevices} />

export function DevicePage({ uid }: { readonly uid: string }) {
  const { api } = useRuntime()
  const isUid = DeviceUid.safeParse(uid).success
  const query = useQuery({ ...deviceQuery(api, uid), enabled: isUid })
  const device = query.data
  if (!isUid || (query.error instanceof ApiError && query.error.status === 404)) {
    return (
      <Page title={texts.deviceGone} trail={TRAIL}>
        <EmptyState icon={<MonitorOff size={24} />} text={texts.deviceGoneText} />
      </Page>
    )
  }
  if (device) return <KnownDevice device={device} />
  return (
    <Page title={texts.title} trail={TRAIL}>
      {query.isError ? (
        <ErrorPanel title={texts.deviceFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Skeleton height={280} />
      )}
    </Page>
  )
}

function KnownDevice({ device }: { readonly device: Device }) {
  const actions = useDeviceActions()
  const favorites = useFavorites()
  const favor = useFavorite()
  const navigate = useNavigate()
  const mayEdit = useMay('deviceUpdate', device)
  const [removing, setRemoving] = useState<Device>()
  const [editing, setEditing] = useState(false)
  // The first frame shows who it is and how to reach it: drawing all of it at once would delay the answer to the click.
  const isWhole = useDeferredValue(true, false)
  useRemembered(recentDevices, device)
  const remove = () => {
    void actions.run('remove', device)
    void navigate({ to: '/devices', search: { status: tabOf(device) } })
  }
  return (
    <Page
      title={device.name}
      trail={TRAIL}
      mark={
        device.status === 'accepted' ? (
          <StatusDot on={device.online} label={device.online ? uiMessages.online : uiMessages.offline} text />
        ) : null
      }
      actions={
        <>
          <AskForAccess device={device} />
          <GatedButton
            variant="default"
            size="compact-sm"
            may={mayEdit}
            why={texts.roleTooLow}
            onClick={() => setEditing(true)}
          >
            {texts.edit}
          </GatedButton>
          <Favorites value={favorites}>
            <FavoriteSwitch device={device} onChange={favor} />
          </Favorites>
          <DeviceRowActions
            device={device}
            onAccept={() => void actions.run('accept', device)}
            onReject={() => void actions.run('reject', device)}
            onRemove={() => setRemoving(device)}
          />
        </>
      }
    >
      <Stack gap="md">
        <ChangedHostKey device={device} />
        <Connection device={device} />
        <DeviceFacts device={device} />
        {isWhole ? <Cards device={device} /> : null}
      </Stack>
      {isWhole ? (
        <>
          <EditDevice device={device} opened={editing} onClose={() => setEditing(false)} />
          <RemoveDevice device={removing} onClose={() => setRemoving(undefined)} onConfirm={remove} />
        </>
      ) : null}
    </Page>
  )
}

/** What is known of the device, below what identifies it. */
function Cards({ device }: { readonly device: Device }) {
  return (
    <>
      {device.status === 'accepted' ? <DeviceHealthCard uid={device.uid} /> : null}
      {device.status === 'accepted' ? <DevicePresenceCard uid={device.uid} /> : null}
      {device.status === 'accepted' && !device.host_key ? <TunnelsCard device={device} /> : null}
      {device.host_key ? <UserAuthority /> : null}
      <DeviceSessions uid={device.uid} />
    </>
  )
}

/** The ssh line of the device, or the reason why it cannot be reached. */
function Connection({ device }: { readonly device: Device }) {
  if (device.status === 'pending') return <Callout tone="warn">{texts.pendingHint}</Callout>
  if (device.status !== 'accepted') return <Callout tone="note">{texts.rejectedHint}</Callout>
  return (
    <section aria-label={texts.connect} className={classes['reach']}>
      <SshLine device={device} />
      {device.online ? null : <p className={classes['hint']}>{texts.offlineHint}</p>}
    </section>
  )
}

function tabOf({ status }: Device): 'accepted' | 'pending' | 'rejected' {
  return status === 'pending' || status === 'rejected' ? status : 'accepted'
}
