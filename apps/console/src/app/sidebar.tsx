// Brand, namespace, sections and account.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { PendingBell } from '../features/devices/pending-bell.tsx'
import { statsQuery } from '../features/devices/queries.ts'
import { ActionIcon } from '../ui/kit.ts'
import { Mark } from '../ui/mark.tsx'
import { formatCount } from '../ui/numbers.ts'
import { AccountMenu } from './account-menu.tsx'
import { useRuntime } from './context.tsx'
import { LiveMark } from './live-mark.tsx'
import { appMessages as texts } from './messages.ts'
import { NamespaceCard } from './namespace-card.tsx'
import { SECTIONS } from './sections.ts'
import classes from './sidebar.module.css'

interface SidebarProps {
  /** In a drawer: closes it, also when a section was chosen. The bell is in the bar below it then. */
  readonly onClose?: () => void
}

export function Sidebar({ onClose }: SidebarProps) {
  const { api } = useRuntime()
  const { data: stats } = useQuery(statsQuery(api))
  const badges = { 'pending-devices': stats?.pending_devices ?? 0 }
  return (
    <div className={classes['sidebar']}>
      <div className={classes['brand']}>
        <Mark size={26} />
        <span className={classes['word']}>Bowline</span>
        {onClose ? (
          <ActionIcon size={32} aria-label={texts.closeNavigation} onClick={onClose}>
            <X size={17} aria-hidden />
          </ActionIcon>
        ) : (
          <PendingBell />
        )}
      </div>
      <NamespaceCard />
      <nav aria-label={texts.sections} className={classes['nav']}>
        {SECTIONS.map(({ to, label, icon: Icon, badge }) => (
          <Link
            key={to}
            to={to}
            className={classes['link']}
            activeProps={{ 'data-active': true }}
            onClick={() => onClose?.()}
          >
            <Icon size={17} aria-hidden />
            {label}
            {badge && badges[badge] > 0 ? <span className={classes['badge']}>{formatCount(badges[badge])}</span> : null}
          </Link>
        ))}
      </nav>
      <div className={classes['live']}>
        <LiveMark />
      </div>
      <AccountMenu />
    </div>
  )
}
