// What can be done with a device from its row.
import type { Device } from '@bowline/contract/schemas/device'
import { Trash2 } from 'lucide-react'
import { useMay } from '../../app/context.tsx'
import { ActionIcon, Button, Tooltip } from '../../ui/kit.ts'
import { ConnectButton } from '../terminal/connect-button.tsx'
import { useIsActing } from './actions.ts'
import { devicesMessages as texts } from './messages.ts'

export interface DeviceRowActionsProps {
  readonly device: Device
  readonly onAccept: () => void
  readonly onReject: () => void
  /** Absent: removing is not offered here. */
  readonly onRemove?: () => void
}

export function DeviceRowActions({ device, onAccept, onReject, onRemove }: DeviceRowActionsProps) {
  const mayAccept = useMay('deviceAccept')
  const mayReject = useMay('deviceReject')
  const mayRemove = useMay('deviceRemove')
  const acting = useIsActing(device.uid)
  const { status, name } = device
  // It is gone; it comes back by registering again.
  if (status === 'removed') return null
  return (
    <>
      <ConnectButton device={device} />
      {status === 'accepted' ? null : (
        <Tooltip label={texts.roleTooLow} disabled={mayAccept}>
          <Button
            size="compact-sm"
            disabled={!mayAccept || acting}
            aria-label={texts.acceptNamed(name)}
            onClick={onAccept}
          >
            {texts.accept}
          </Button>
        </Tooltip>
      )}
      {status === 'pending' ? (
        <Tooltip label={texts.roleTooLow} disabled={mayReject}>
          <Button
            size="compact-sm"
            variant="default"
            disabled={!mayReject || acting}
            aria-label={texts.rejectNamed(name)}
            onClick={onReject}
          >
            {texts.reject}
          </Button>
        </Tooltip>
      ) : null}
      {status === 'pending' || !onRemove ? null : (
        <Tooltip label={mayRemove ? texts.remove : texts.roleTooLow}>
          <ActionIcon disabled={!mayRemove || acting} aria-label={texts.removeNamed(name)} onClick={onRemove}>
            <Trash2 size={15} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </>
  )
}
