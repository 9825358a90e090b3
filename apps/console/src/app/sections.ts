// The sections of the console. A new page gets its entry here and its route in router.tsx.
import { type LucideIcon, MonitorSmartphone, SquareTerminal } from 'lucide-react'
import { appMessages as texts } from './messages.ts'

export interface Section {
  readonly to: '/devices' | '/sessions'
  readonly label: string
  readonly icon: LucideIcon
  /** Which number stands beside it. */
  readonly badge?: 'pending-devices'
}

export const SECTIONS: readonly Section[] = [
  { to: '/devices', label: texts.nav.devices, icon: MonitorSmartphone, badge: 'pending-devices' },
  { to: '/sessions', label: texts.nav.sessions, icon: SquareTerminal },
]
