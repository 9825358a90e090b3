// Accepted devices for the typed words: those that are known here at once, and those that the server finds.
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Monitor } from 'lucide-react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { deviceListQuery } from '../../core/devices/queries.ts'
import { uiMessages } from '../../ui/messages.ts'
import { type PaletteItem, matching } from './items.ts'
import { knownDevices, nameOf, together, wordsOf } from './known-devices.ts'
import { paletteMessages as texts } from './messages.ts'

const SHOWN = 8
const LIST = { status: 'accepted', page: 1, sort: 'name', order: 'asc' } as const

interface DeviceHits {
  readonly items: readonly PaletteItem[]
  readonly searching: boolean
  readonly failed: boolean
}

/**
 * @param words as typed
 * @param searched the words after a pause in typing, which the server searches
 * @param onMore opens the further actions on a device
 */
export function useDeviceSearch(words: string, searched: string, onMore: (device: Device) => void): DeviceHits {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const tenant = usePerson()?.tenant ?? ''
  const navigate = useNavigate()
  const mayConnect = useMay('deviceConnect')
  const enabled = searched !== '' && tenant !== ''
  const found = useQuery({ ...deviceListQuery(api, { ...LIST, words: searched }), enabled })
  // In a large fleet, the device with exactly this name may not be on the first page.
  const isPart = found.data !== undefined && (found.data.total ?? 0) > found.data.items.length
  const named = useQuery({
    ...deviceListQuery(api, { ...LIST, words: '', name: nameOf(searched), perPage: 1 }),
    enabled: enabled && isPart && !found.isPlaceholderData,
  })
  if (words === '') return { items: [], searching: false, failed: false }
  const isCurrent = searched === words && !found.isPlaceholderData
  const item = (device: Device, isFound: boolean): PaletteItem => {
    const open = () => void navigate({ to: '/devices/$uid', params: { uid: device.uid } })
    const connect = () => void navigate({ to: '/terminal', search: { device: device.uid } })
    return {
      id: device.uid,
      group: texts.groups.devices,
      label: device.name,
      synonyms: wordsOf(device),
      ...(isFound ? { found: true } : {}),
      note: device.online ? uiMessages.online : uiMessages.offline,
      icon: Monitor,
      run: mayConnect && device.online ? connect : open,
      open,
      more: () => onMore(device),
    }
  }
  const answered = isCurrent
    ? together(isPart && !named.isPlaceholderData ? named.data?.items : [], found.data?.items)
    : []
  const isAnswered = new Set(answered.map(({ uid }) => uid))
  const known = knownDevices(queryClient).filter(({ uid, status }) => status === 'accepted' && !isAnswered.has(uid))
  const all = [...answered.map((device) => item(device, true)), ...known.map((device) => item(device, false))]
  return {
    items: matching(all, words).slice(0, SHOWN),
    searching: found.isPending || !isCurrent,
    failed: found.isError,
  }
}
