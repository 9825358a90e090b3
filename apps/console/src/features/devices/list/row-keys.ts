// Single keys on a row of the device list.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { useMay } from '../../../core/context.tsx'
import { DEVICE_KEYS, areSingleKeysOn } from '../../../core/shortcuts.ts'
import type { DeviceActions } from '../actions.ts'
import { useFavorite } from '../favorites.tsx'

interface RowKeyTargets {
  readonly actions: DeviceActions
  readonly onEdit: (device: Device, part: 'name' | 'tags') => void
}

/** @returns handles a key on a device's row: true when it meant something */
export function useRowKeys({ actions, onEdit }: RowKeyTargets): (device: Device, key: string) => boolean {
  const navigate = useNavigate()
  const mayAccept = useMay('deviceAccept')
  const mayReject = useMay('deviceReject')
  const mayConnect = useMay('deviceConnect')
  const favor = useFavorite()
  return (device, key) => {
    if (!areSingleKeysOn()) return false
    const keys: Readonly<Record<(typeof DEVICE_KEYS)[number], (() => void) | undefined>> = {
      a: mayAccept && device.status === 'pending' ? () => void actions.run('accept', device) : undefined,
      r: mayReject && device.status === 'pending' ? () => void actions.run('reject', device) : undefined,
      c:
        mayConnect && device.status === 'accepted' && device.online
          ? () => void navigate({ to: '/terminal', search: { device: device.uid } })
          : undefined,
      e: () => onEdit(device, 'name'),
      t: () => onEdit(device, 'tags'),
      f: () => favor(device),
    }
    const name = DEVICE_KEYS.find((one) => one === key)
    const act = name && keys[name]
    act?.()
    return act !== undefined
  }
}
