// Confirms the removal of a device, which deletes its sessions too.
import type { Device } from '@bowline/contract/schemas/device'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Text } from '../../ui/kit.ts'
import { devicesMessages as texts } from './messages.ts'

interface RemoveDeviceProps {
  /** undefined: closed. */
  readonly device: Device | undefined
  readonly onConfirm: (device: Device) => void
  readonly onClose: () => void
}

export function RemoveDevice({ device, onConfirm, onClose }: RemoveDeviceProps) {
  return (
    <Confirm
      opened={device !== undefined}
      title={texts.removeTitle(device?.name ?? '')}
      action={texts.remove}
      onClose={onClose}
      onConfirm={() => device && onConfirm(device)}
    >
      <Text size="sm">{texts.removeText}</Text>
    </Confirm>
  )
}
