// Row actions of a device.
import type { Device } from '@bowline/contract/schemas/device'
import { Trash2 } from 'lucide-react'
import { useMay } from '../../core/context.tsx'
import { useIsInGrace } from '../../core/grace.ts'
import { useIsPending } from '../../core/use-action.ts'
import { GatedAction, GatedButton } from '../../ui/feedback/gated.tsx'
import { FilesButton } from '../files/files-button.tsx'
import { ConnectButton } from '../terminal/connect-button.tsx'
import { AcceptDevice } from './accept-device.tsx'
import { devicesMessages as texts } from './messages.ts'

export interface DeviceRowActionsProps {
  readonly device: Device
  readonly onAccept: () => void
  readonly onReject: () => void
  /** Absent: removing is not offered here. */
  readonly onRemove?: () => void
}

export function DeviceRowActions({ device, onAccept, onReject, onRemove }: DeviceRowActionsProps) {
  const mayReject = useMay('deviceAccept', device)
  const mayRemove = useMay('deviceRemove', device)
  const isPending = useIsPending(device.uid)
  const acting = useIsInGrace(device.uid) || isPending
  const { status, name } = device
  // The device is gone; it comes back by registering again.
  if (status === 'removed') return null
  return (
    <>
      <ConnectButton device={device} />
      <FilesButton device={device} />
      {status === 'accepted' ? null : <AcceptDevice device={device} acting={acting} onAccept={onAccept} />}
      {status === 'pending' ? (
        <GatedButton
          size="compact-sm"
          variant="default"
          may={mayReject}
          why={texts.roleTooLow}
          disabled={acting}
          aria-label={texts.rejectNamed(name)}
          onClick={onReject}
        >
          {texts.reject}
        </GatedButton>
      ) : null}
      {status === 'pending' || !onRemove ? null : (
        <GatedAction
          may={mayRemove}
          why={texts.roleTooLow}
          disabled={acting}
          label={texts.removeNamed(name)}
          hint={texts.remove}
          onClick={onRemove}
        >
          <Trash2 size={15} aria-hidden />
        </GatedAction>
      )}
    </>
  )
}
