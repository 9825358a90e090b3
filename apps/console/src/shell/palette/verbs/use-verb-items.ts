// Palette items for an action and the devices that it is typed for; for an action alone, favorites and recent devices.
import type { Device } from '@bowline/contract/schemas/device'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Check,
  Copy,
  FolderOpen,
  type LucideIcon,
  Monitor,
  Pencil,
  Play,
  Split,
  SquareTerminal,
  Tags,
  Trash2,
  X,
} from 'lucide-react'
import { usePerson, useRuntime } from '../../../core/context.tsx'
import { type DeviceListQuery, deviceListQuery, deviceQuery } from '../../../core/devices/queries.ts'
import { recentDevices } from '../../../core/recent/recent.ts'
import { uiMessages } from '../../../ui/messages.ts'
import type { PaletteControls } from '../controls.ts'
import { type PaletteItem, matching } from '../items.ts'
import { knownDevices, nameOf, together, wordsOf } from '../known-devices.ts'
import { useVerbActions } from './use-verb-actions.ts'
import { verbMessages as texts } from './verb-messages.ts'
import { type DeviceVerb, type Said, isOfDevice } from './verbs.ts'

const SHOWN = 8

const ICONS: Readonly<Record<DeviceVerb, LucideIcon>> = {
  connect: SquareTerminal,
  open: Monitor,
  tag: Tags,
  rename: Pencil,
  accept: Check,
  reject: X,
  remove: Trash2,
  files: FolderOpen,
  run: Play,
  tunnel: Split,
  copySsh: Copy,
}

/** Devices that an action is about. */
const statusOf = (verb: DeviceVerb) => (verb === 'accept' || verb === 'reject' ? 'pending' : 'accepted')

export interface VerbItems {
  readonly items: readonly PaletteItem[]
  readonly searching: boolean
}

/**
 * @param said as typed; undefined where no action is
 * @param searched what was typed before the latest pause, which the server searches
 */
export function useVerbItems(said: Said | undefined, searched: Said | undefined, on: PaletteControls): VerbItems {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const actionOf = useVerbActions(on)
  const verb = said && isOfDevice(said) ? said.verb : undefined
  const isSame = searched?.verb === said?.verb && searched?.object === said?.object
  const usual = useUsual(verb !== undefined && said?.object === '' && statusOf(verb) === 'accepted')
  const found = useFound(verb, searched && isOfDevice(searched) ? searched.object : '')
  if (!said || verb === undefined) return { items: [], searching: false }
  const item = (device: Device, isFound: boolean): PaletteItem[] => {
    const action = actionOf(verb, device)
    if (!action) return []
    const open = () => void navigate({ to: '/devices/$uid', params: { uid: device.uid } })
    const isAway = action.needsOnline === true && !device.online
    const isAccepted = device.status === 'accepted'
    return [
      {
        id: device.uid,
        group: texts.groups[verb],
        label: texts.does[isAway ? 'open' : verb](device.name),
        name: device.name,
        synonyms: wordsOf(device),
        isMeant: true,
        icon: ICONS[isAway ? 'open' : verb],
        run: isAway ? open : action.run,
        open,
        ...(isFound ? { found: true } : {}),
        ...(isAccepted ? { note: device.online ? uiMessages.online : uiMessages.offline } : {}),
        ...(isAccepted ? { more: () => on.onMore(device) } : {}),
        ...(action.stays && !isAway ? { stays: true } : {}),
      },
    ]
  }
  const known = knownDevices(queryClient).filter(({ status }) => status === statusOf(verb))
  const answered = isSame ? found.devices : []
  if (said.object === '') {
    const all = statusOf(verb) === 'pending' ? together(answered, known) : usual.devices
    return { items: all.flatMap((device) => item(device, true)).slice(0, SHOWN), searching: usual.searching }
  }
  const isAnswered = new Set(answered.map(({ uid }) => uid))
  const all = [
    ...answered.flatMap((device) => item(device, true)),
    ...known.filter(({ uid }) => !isAnswered.has(uid)).flatMap((device) => item(device, false)),
  ]
  return { items: matching(all, said.object).slice(0, SHOWN), searching: !isSame || found.searching }
}

interface Devices {
  readonly devices: readonly Device[]
  readonly searching: boolean
}

/** What the server finds for an action: by all that is known of a device, and the one with exactly this name. */
function useFound(verb: DeviceVerb | undefined, object: string): Devices {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const status = statusOf(verb ?? 'open')
  const enabled = tenant !== '' && verb !== undefined && (object !== '' || status === 'pending')
  const list: DeviceListQuery = { status, page: 1, perPage: SHOWN, sort: 'name', order: 'asc', words: object }
  const found = useQuery({ ...deviceListQuery(api, list), enabled })
  const isPart = (found.data?.total ?? 0) > SHOWN && object !== ''
  const named = useQuery({
    ...deviceListQuery(api, { ...list, words: '', name: nameOf(object), perPage: 1 }),
    enabled: enabled && isPart && !found.isPlaceholderData,
  })
  const current = found.isPlaceholderData ? [] : (found.data?.items ?? [])
  const devices = together(isPart && !named.isPlaceholderData ? named.data?.items : [], current)
  return { devices, searching: enabled && (found.isPending || found.isPlaceholderData) }
}

/** Recent devices and favorites. */
function useUsual(enabled: boolean): Devices {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const isAsked = enabled && tenant !== ''
  const recent = useQueries({
    queries: recentDevices.of(tenant).map(({ uid }) => ({ ...deviceQuery(api, uid), enabled: isAsked, retry: false })),
  })
  const favorites = useQuery({
    ...deviceListQuery(api, {
      status: 'accepted',
      page: 1,
      perPage: SHOWN,
      sort: 'name',
      order: 'asc',
      words: '',
      favorites: true,
    }),
    enabled: isAsked,
  })
  const searching = isAsked && [...recent, favorites].some(({ isLoading }) => isLoading)
  // In their order at once: the first one to arrive would take the first place.
  if (searching) return { devices: [], searching }
  const opened = recent.flatMap(({ data }) => (data?.status === 'accepted' ? data : []))
  return { devices: together(opened, favorites.isPlaceholderData ? [] : favorites.data?.items), searching }
}
