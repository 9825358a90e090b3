// The console's sections, grouped as in the sidebar. A new page needs an entry here and a route in router.tsx; missing
// pages have no entry.
import {
  BadgeCheck,
  BellRing,
  CircleArrowUp,
  Boxes,
  Container,
  DoorOpen,
  ClipboardList,
  Megaphone,
  FileClock,
  Settings,
  History,
  KeyRound,
  LayoutDashboard,
  LogIn,
  type LucideIcon,
  Mail,
  MonitorSmartphone,
  Newspaper,
  Server,
  ShieldCheck,
  SquareTerminal,
  Tags,
  Ticket,
  TextSearch,
  Users,
  UsersRound,
} from 'lucide-react'
import type { Permission } from '@bowline/contract/roles'
import type { Person } from '../auth/session.ts'
import { appMessages as texts } from './messages.ts'
import { holds } from './own-rights.ts'

export type SectionPath =
  | '/containers'
  | '/alerts'
  | '/audit'
  | '/announcements'
  | '/settings'
  | '/'
  | '/devices'
  | '/sessions'
  | '/recordings'
  | '/terminal'
  | '/public-keys'
  | '/firewall'
  | '/access-requests'
  | '/tags'
  | '/install-keys'
  | '/agent-updates'
  | '/team'
  | '/instance/sign-in'
  | '/instance/mail'
  | '/instance/certificates'
  | '/instance/nodes'
  | '/instance/announcements'
  | '/instance/people'
  | '/instance/namespaces'
  | '/instance/audit'

export interface Section {
  readonly to: SectionPath
  readonly label: string
  readonly icon: LucideIcon
  /** Key that opens the section after `g`. */
  readonly key: string
  /** Count shown next to the section. */
  readonly badge?: 'pending-devices' | 'access-requests'
  /** Without it the page has nothing to show. */
  readonly needs?: Permission
}

export interface SectionGroup {
  readonly label: string
  readonly sections: readonly Section[]
  /** For administrators of the server only. */
  readonly ofServer?: true
}

const { nav, groups } = texts

const SECTION_GROUPS: readonly SectionGroup[] = [
  {
    label: groups.fleet,
    sections: [
      { to: '/', label: nav.dashboard, icon: LayoutDashboard, key: 'h' },
      { to: '/devices', label: nav.devices, icon: MonitorSmartphone, key: 'd', badge: 'pending-devices' },
      { to: '/containers', label: nav.containers, icon: Container, key: 'c' },
      { to: '/terminal', label: nav.terminal, icon: SquareTerminal, key: 'e' },
      { to: '/sessions', label: nav.sessions, icon: History, key: 's' },
      { to: '/recordings', label: nav.recordings, icon: TextSearch, key: 'r' },
      { to: '/agent-updates', label: nav.agentUpdates, icon: CircleArrowUp, key: 'v' },
    ],
  },
  {
    label: groups.access,
    sections: [
      { to: '/public-keys', label: nav.publicKeys, icon: KeyRound, key: 'k' },
      { to: '/firewall', label: nav.firewall, icon: ShieldCheck, key: 'f' },
      {
        to: '/access-requests',
        label: nav.accessRequests,
        icon: DoorOpen,
        key: 'j',
        badge: 'access-requests',
      },
      { to: '/tags', label: nav.tags, icon: Tags, key: 't' },
      { to: '/install-keys', label: nav.installKeys, icon: Ticket, key: 'y' },
    ],
  },
  {
    label: groups.namespace,
    sections: [
      { to: '/team', label: nav.team, icon: Users, key: 'm' },
      { to: '/alerts', label: nav.alerts, icon: BellRing, key: 'b', needs: 'namespaceUpdate' },
      { to: '/audit', label: nav.audit, icon: ClipboardList, key: 'a', needs: 'auditRead' },
      { to: '/announcements', label: nav.announcements, icon: Megaphone, key: 'n' },
      { to: '/settings', label: nav.settings, icon: Settings, key: ',' },
    ],
  },
  {
    label: groups.server,
    ofServer: true,
    sections: [
      { to: '/instance/people', label: nav.people, icon: UsersRound, key: 'p' },
      { to: '/instance/namespaces', label: nav.namespaces, icon: Boxes, key: 'o' },
      { to: '/instance/audit', label: nav.serverAudit, icon: FileClock, key: 'u' },
      { to: '/instance/sign-in', label: nav.signIn, icon: LogIn, key: 'l' },
      { to: '/instance/mail', label: nav.mail, icon: Mail, key: 'i' },
      { to: '/instance/certificates', label: nav.certificates, icon: BadgeCheck, key: 'x' },
      { to: '/instance/nodes', label: nav.nodes, icon: Server, key: 'q' },
      { to: '/instance/announcements', label: nav.serverNews, icon: Newspaper, key: 'w' },
    ],
  },
]

/** The sections that a person sees; undefined: nobody has signed in. */
export function sectionGroups(
  person: Pick<Person, 'instance_admin' | 'role' | 'grants'> | undefined,
): readonly SectionGroup[] {
  return SECTION_GROUPS.filter(({ ofServer }) => !ofServer || person?.instance_admin === true).map((group) => ({
    ...group,
    sections: group.sections.filter(({ needs }) => !needs || (person !== undefined && holds(person, needs))),
  }))
}
