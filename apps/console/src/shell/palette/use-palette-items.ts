// Palette items for the typed text: devices searched by the server, pages and actions.
import type { Device } from '@bowline/contract/schemas/device'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  AppWindow,
  BookOpen,
  KeyRound,
  Keyboard,
  Lock,
  LogOut,
  Monitor,
  Plus,
  Settings,
  ShieldCheck,
  SquareTerminal,
  UserPlus,
  UserRound,
} from 'lucide-react'
import { useMay, usePerson, useRuntime, useStore } from '../../core/context.tsx'
import { appMessages } from '../../core/messages.ts'
import { sectionGroups } from '../../core/sections.ts'
import { lockKeys } from '../../core/unlocked-keys.ts'
import { announce } from '../../ui/feedback/announce.tsx'
import { uiMessages } from '../../ui/messages.ts'
import { useTheme } from '../../ui/use-theme.ts'
import { deviceListQuery } from '../../core/devices/queries.ts'
import { passkeyMessages } from '../../features/passkeys/messages.ts'
import { secondFactorMessages } from '../../features/second-factor/messages.ts'
import { settingsMessages } from '../../features/settings/messages.ts'
import { useSignOut } from '../use-sign-out.ts'
import { useFoundItems } from './use-found-items.ts'
import { type PaletteItem, inGroups, matching } from './items.ts'
import { paletteMessages as texts } from './messages.ts'
import { popOut } from '../../features/terminal/windows/pop-out.ts'
import { recentDevices, rememberDevice } from '../../features/devices/recent-devices.ts'

const SHOWN_DEVICES = 8

export interface PaletteContent {
  readonly items: readonly PaletteItem[]
  readonly searching: boolean
  readonly failed: boolean
}

/** Debounce: long enough that a word typed quickly sends one request. */
const TYPING_MS = 100

/**
 * @param onMore opens the further actions on a device
 * @param onShortcuts opens the list of keyboard shortcuts
 */
export function usePaletteItems(
  words: string,
  onMore: (device: Device) => void,
  onShortcuts: () => void,
): PaletteContent {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const navigate = useNavigate()
  const fixed = useFixedItems(onShortcuts)
  const [searched] = useDebouncedValue(words, TYPING_MS)
  const enabled = searched !== '' && tenant !== ''
  const list = { status: 'accepted', page: 1, sort: 'name', order: 'asc' } as const
  const found = useQuery({ ...deviceListQuery(api, { ...list, words: searched }), enabled })
  // In a large fleet, the device with exactly this name may not be on the first page.
  const isPart = found.data !== undefined && (found.data.total ?? 0) > found.data.items.length
  const named = useQuery({
    ...deviceListQuery(api, { ...list, words: '', name: nameOf(searched), perPage: 1 }),
    enabled: enabled && isPart && !found.isPlaceholderData,
  })
  const others = useFoundItems(searched)
  const mayConnect = useMay('deviceConnect')
  const open = (device: { uid: string; name: string }) => {
    rememberDevice(tenant, device)
    void navigate({ to: '/devices/$uid', params: { uid: device.uid } })
  }
  const connect = (device: { uid: string; name: string }) => {
    rememberDevice(tenant, device)
    void navigate({ to: '/terminal', search: { device: device.uid } })
  }
  const isCurrent = searched === words && !found.isPlaceholderData
  const searchedItem = (device: Device): PaletteItem => ({
    id: device.uid,
    group: texts.groups.devices,
    label: device.name,
    found: true,
    note: device.online ? uiMessages.online : uiMessages.offline,
    icon: Monitor,
    run: () => (mayConnect && device.online ? connect : open)(device),
    open: () => open(device),
    more: () => onMore(device),
  })
  const all = isCurrent ? together(isPart && !named.isPlaceholderData ? named.data?.items : [], found.data?.items) : []
  const devices: PaletteItem[] =
    words === ''
      ? recentDevices(tenant).map(({ uid, name }) => ({
          id: uid,
          group: texts.groups.recent,
          label: name,
          icon: Monitor,
          run: () => (mayConnect ? connect : open)({ uid, name }),
          open: () => open({ uid, name }),
        }))
      : matching(all.map(searchedItem), words).slice(0, SHOWN_DEVICES)
  return {
    items: inGroups(
      [...devices, ...matching(fixed, words), ...(searched === words ? others.items : [])],
      words,
      texts.groups.docs,
    ),
    searching: words !== '' && (found.isPending || !isCurrent || others.searching),
    failed: found.isError,
  }
}

/** A device's name as people type it: `Unit 42` for `unit-42`. */
const nameOf = (words: string): string => words.toLowerCase().replaceAll(/\s+/gu, '-')

/** Each once. */
function together(named: readonly Device[] = [], found: readonly Device[] = []): Device[] {
  return [...new Map([...named, ...found].map((device) => [device.uid, device])).values()]
}

const { rename, record, retention, forwarding, joining, endDisallowed, accessOn, factor, announcement } =
  settingsMessages
const SETTINGS = [
  rename,
  record,
  retention,
  forwarding,
  joining,
  accessOn,
  endDisallowed,
  factor,
  announcement,
  settingsMessages.export,
]

/** On the profile. */
const OWN_SETTINGS = [passkeyMessages.title, secondFactorMessages.card]

/** Items for pages, settings and actions. */
function useFixedItems(onShortcuts: () => void): PaletteItem[] {
  const signOut = useSignOut()
  const isAdmin = usePerson()?.instance_admin === true
  const navigate = useNavigate()
  const [, setTheme] = useTheme()
  const lock = useStore(lockKeys)
  const toWindow = useStore(popOut)
  const { pages, actions } = texts.groups
  const also = texts.synonyms
  const action = (label: string, icon: PaletteItem['icon'], synonyms: string, run: () => void): PaletteItem => ({
    id: label,
    group: actions,
    label,
    synonyms,
    run,
    ...(icon ? { icon } : {}),
  })
  return [
    ...sectionGroups(isAdmin).flatMap(({ sections }) =>
      sections.map(({ to, label, icon, key }) => ({
        id: to,
        group: pages,
        label,
        icon,
        hint: `g ${key}`,
        run: () => void navigate({ to }),
      })),
    ),
    {
      id: '/profile',
      group: pages,
      label: texts.profile,
      synonyms: texts.synonyms.profile,
      icon: UserRound,
      run: () => void navigate({ to: '/profile' }),
    },
    {
      id: '/profile/keys',
      group: pages,
      label: appMessages.keys,
      icon: KeyRound,
      run: () => void navigate({ to: '/profile/keys' }),
    },
    ...(lock
      ? [
          action(appMessages.lockKeys, Lock, also.lockKeys, () => {
            lock()
            announce(appMessages.keysLocked)
          }),
        ]
      : []),
    ...(toWindow ? [action(texts.popOut, AppWindow, also.popOut, toWindow)] : []),
    action(texts.addDevice, Plus, also.addDevice, () => void navigate({ to: '/devices', search: { add: 'yes' } })),
    action(
      texts.waiting,
      Monitor,
      also.waiting,
      () => void navigate({ to: '/devices', search: { status: 'pending' } }),
    ),
    action(
      texts.running,
      SquareTerminal,
      also.running,
      () => void navigate({ to: '/sessions', search: { state: 'active' } }),
    ),
    action(texts.addKey, KeyRound, also.addKey, () => void navigate({ to: '/public-keys', search: { edit: 'new' } })),
    action(texts.addRule, ShieldCheck, also.addRule, () => void navigate({ to: '/firewall', search: { edit: 'new' } })),
    action(texts.addMember, UserPlus, also.addMember, () => void navigate({ to: '/team', search: { add: 'yes' } })),
    action(
      texts.addApiKey,
      KeyRound,
      also.addApiKey,
      () => void navigate({ to: '/team', search: { tab: 'keys', add: 'yes' } }),
    ),
    action(appMessages.shortcuts, Keyboard, also.shortcuts, onShortcuts),
    ...(['light', 'dark', 'auto'] as const).map((theme) =>
      action(texts.theme(appMessages.themes[theme]), undefined, also.themes[theme], () => setTheme(theme)),
    ),
    ...OWN_SETTINGS.map((label) => ({
      id: label,
      group: texts.groups.settings,
      label,
      icon: UserRound,
      run: () => void navigate({ to: '/profile' }),
    })),
    ...SETTINGS.map((label) => ({
      id: label,
      group: texts.groups.settings,
      label,
      icon: Settings,
      run: () => void navigate({ to: '/settings' }),
    })),
    {
      id: '/docs/',
      group: texts.groups.docs,
      label: texts.documentation,
      synonyms: texts.synonyms.docs,
      icon: BookOpen,
      run: () => void window.open('/docs/', '_blank', 'noopener'),
    },
    action(texts.signOut, LogOut, also.signOut, () => void signOut.run()),
  ]
}
