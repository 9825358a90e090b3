// Single keys on a row of the device list.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { chosenKeys, keysOf } from '../../../core/chosen-keys.ts'
import { useMay, useMayOn } from '../../../core/context.tsx'
import { DEVICE_KEYS, areSingleKeysOn } from '../../../core/shortcuts.ts'
import { notifyOf } from '../../../ui/feedback/notify.tsx'
import type { DeviceActions } from '../actions.ts'
import type { FavoriteTarget } from '../favorites.tsx'
import { devicesMessages as texts } from '../messages.ts'

type Act = keyof typeof DEVICE_KEYS
const ACTS = Object.keys(DEVICE_KEYS) as Act[]

interface RowKeyTargets {
  readonly actions: DeviceActions
  readonly onFavorite: (device: FavoriteTarget) => void
  readonly onEdit: (device: Device, part: 'name' | 'tags') => void
}

/** @returns handles a key on a device's row: true when it meant something */
export function useRowKeys({ actions, onFavorite, onEdit }: RowKeyTargets): (device: Device, key: string) => boolean {
  const navigate = useNavigate()
  const mayAccept = useMayOn('deviceAccept')
  const mayConnect = useMay('deviceConnect')
  return (device, key) => {
    if (!areSingleKeysOn()) return false
    const acts: Readonly<Record<Act, (() => void) | undefined>> = {
      accept: mayAccept(device) && device.status === 'pending' ? () => void actions.run('accept', device) : undefined,
      reject: mayAccept(device) && device.status === 'pending' ? () => void actions.run('reject', device) : undefined,
      connect:
        mayConnect && device.status === 'accepted'
          ? () => {
              if (device.online) void navigate({ to: '/terminal', search: { device: device.uid } })
              else notifyOf({ id: 'device-offline', title: texts.isOffline(device.name) })
            }
          : undefined,
      rename: () => onEdit(device, 'name'),
      tags: () => onEdit(device, 'tags'),
      favorite: () => onFavorite(device),
    }
    const chosen = chosenKeys.get()
    const name = ACTS.find((one) => keysOf({ id: `device.${one}`, usual: [DEVICE_KEYS[one]] }, chosen)[0] === key)
    const act = name && acts[name]
    act?.()
    return act !== undefined
  }
}
