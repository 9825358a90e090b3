// What the palette lists before anything is typed: what was opened last, actions of the page, and the usual pages.
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { History, Monitor } from 'lucide-react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { deviceQuery } from '../../core/devices/queries.ts'
import { recentDevices, recentSessions } from '../../core/recent/recent.ts'
import type { PaletteControls } from './controls.ts'
import type { PaletteItem } from './items.ts'
import { paletteMessages as texts } from './messages.ts'
import { useDeviceItems } from './use-device-items.ts'
import { usualPages } from './use-page-items.ts'

const SHOWN_SESSIONS = 3

/** Actions of a page, by how its address begins. */
const OF_PAGES: Readonly<Record<string, readonly string[]>> = {
  '/devices': ['add-device', 'pending'],
  '/containers': ['add-device'],
  '/sessions': ['running'],
  '/terminal': ['pop-out', 'lock'],
  '/public-keys': ['add-key'],
  '/firewall': ['add-rule'],
  '/team': ['add-member', 'add-api-key'],
}

interface Offered {
  readonly actions: readonly PaletteItem[]
  readonly sections: readonly PaletteItem[]
  readonly pages: readonly PaletteItem[]
}

/** @param allPages every page is listed */
export function useEmptyItems(offered: Offered, allPages: boolean, on: PaletteControls): PaletteItem[] {
  const tenant = usePerson()?.tenant ?? ''
  const path = useLocation({ select: ({ pathname }) => pathname })
  const navigate = useNavigate()
  const mayConnect = useMay('deviceConnect')
  const here = useDeviceOf(path)
  const ofDevice = useDeviceItems(here, '', on).filter(({ label }) => label !== texts.open)
  const devices = recentDevices.of(tenant).map(({ uid, name }) => {
    const open = () => void navigate({ to: '/devices/$uid', params: { uid } })
    const connect = () => void navigate({ to: '/terminal', search: { device: uid } })
    return { id: uid, group: texts.groups.recent, label: name, icon: Monitor, run: mayConnect ? connect : open, open }
  })
  const sessions = recentSessions
    .of(tenant)
    .slice(0, SHOWN_SESSIONS)
    .map(({ uid, name }) => ({
      id: uid,
      group: texts.groups.recentSessions,
      label: name,
      icon: History,
      run: () => void navigate({ to: '/sessions/$uid', params: { uid } }),
    }))
  return [
    ...devices,
    ...sessions,
    ...ofDevice,
    ...herePage(path, offered),
    ...usualPages(offered.pages, allPages ? undefined : on.onPages),
  ]
}

function herePage(path: string, { actions, sections }: Offered): PaletteItem[] {
  const ids = Object.entries(OF_PAGES).find(([page]) => path === page)?.[1] ?? []
  const ofPage = ids.flatMap((id) => actions.filter((action) => action.id === id))
  const parts =
    path === '/profile' || path === '/settings' ? sections.filter(({ id }) => id.startsWith(`${path}#`)) : []
  return [...ofPage, ...parts].map((item) => ({ ...item, group: texts.groups.here }))
}

/** The device whose page or files are shown. */
function useDeviceOf(path: string): Device | undefined {
  const { api } = useRuntime()
  const uid = /^\/devices\/([0-9a-f]{64})(?:\/|$)/u.exec(path)?.[1]
  return useQuery({ ...deviceQuery(api, uid ?? ''), enabled: uid !== undefined }).data
}
