// Brand, namespace, sections and account.
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { Keyboard, Search, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { PendingBell } from '../features/devices/bell/pending-bell.tsx'
import { loadJobs } from '../features/devices/jobs/load.ts'
import { useLoaded } from '../platform/lazy-part.tsx'
import { statsQuery } from '../core/devices/queries.ts'
import { IconButton } from '../ui/controls/icon-button.tsx'
import { Kbd, UnstyledButton } from '../ui/kit.ts'
import { Mark } from '../ui/page/mark.tsx'
import { keyName } from '../ui/text/key-name.ts'
import { formatCount } from '../ui/text/numbers.ts'
import { AccountMenu } from './account-menu.tsx'
import { usePerson, useRuntime } from '../core/context.tsx'
import { LiveMark } from './connectivity/live-mark.tsx'
import { appMessages as texts } from '../core/messages.ts'
import { NamespaceMenu } from './namespace-menu.tsx'
import { sectionGroups } from '../core/sections.ts'
import classes from './sidebar.module.css'

interface SidebarProps {
  /** In a drawer: closes it, also after choosing a section. The bell is in the top bar then. */
  readonly onClose?: () => void
  readonly onSearch: () => void
  /** Opens the shortcut sheet. */
  readonly onKeys: () => void
}

export function Sidebar({ onClose, onSearch, onKeys }: SidebarProps) {
  const { api } = useRuntime()
  const person = usePerson()
  const isMember = person?.tenant !== ''
  const { data: stats } = useQuery({ ...statsQuery(api), enabled: isMember })
  const jobs = useLoaded(loadJobs)
  const badges = { 'pending-devices': stats?.devices.pending ?? 0, 'access-requests': stats?.accessRequests ?? 0 }
  const nav = useRef<HTMLElement>(null)
  const pathname = useLocation({ select: (location) => location.pathname })
  // The current section may be below the edge, where the list fades.
  useEffect(() => {
    return nav.current ? scrollToActive(nav.current) : undefined
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- another page, another section
  }, [pathname])
  return (
    <div className={classes['sidebar']}>
      <div className={classes['brand']}>
        <Mark size={26} />
        <span className={classes['word']}>Bowline</span>
        {onClose ? (
          <IconButton size={32} aria-label={texts.closeNavigation} onClick={onClose}>
            <X size={17} aria-hidden />
          </IconButton>
        ) : (
          <PendingBell />
        )}
      </div>
      <NamespaceMenu />
      <UnstyledButton className={classes['search'] ?? ''} onClick={onSearch}>
        <Search size={15} aria-hidden />
        <span className={classes['word']}>{texts.paletteHint}</span>
        <Kbd>{keyName('mod+k')}</Kbd>
      </UnstyledButton>
      <nav ref={nav} aria-label={texts.sections} className={classes['nav']}>
        {sectionGroups(person).map((group) => (
          <div key={group.label}>
            <span className={classes['groupLabel']} aria-hidden>
              {group.label}
            </span>
            <ul aria-label={group.label} className={classes['group']}>
              {group.sections.map(({ to, label, icon: Icon, badge }) => (
                <li key={to}>
                  <Link
                    to={to}
                    className={classes['link']}
                    activeOptions={{ exact: to === '/', includeSearch: false }}
                    activeProps={{ 'data-active': true }}
                    onClick={() => onClose?.()}
                  >
                    <Icon size={17} aria-hidden />
                    {label}
                    {badge && badges[badge] > 0 ? (
                      <span className={classes['badge']}>{formatCount(badges[badge])}</span>
                    ) : null}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      {jobs && isMember ? <jobs.RunningJobs onLeave={onClose} /> : null}
      <div className={classes['live']}>
        <LiveMark />
        <IconButton aria-label={texts.shortcuts} onClick={onKeys}>
          <Keyboard size={16} aria-hidden />
        </IconButton>
      </div>
      <AccountMenu />
    </div>
  )
}

/** Height of what fades, in pixels. */
const FADE = 28

/**
 * Not by `scrollIntoView`: from there on, newer browsers continue with Tab. Not measured here either, where a whole new
 * page would have to be laid out at once: the browser tells both places after it has drawn them.
 * @returns stop, undefined without a current section
 */
function scrollToActive(nav: HTMLElement): (() => void) | undefined {
  const active = nav.querySelector('[data-active]')
  if (!active) return undefined
  const observer = new IntersectionObserver(
    ([entry]) => {
      observer.disconnect()
      if (!entry?.rootBounds) return
      const above = entry.boundingClientRect.top - (entry.rootBounds.top + FADE)
      const below = entry.boundingClientRect.bottom - (entry.rootBounds.bottom - FADE)
      if (above < 0) nav.scrollTop += above
      else if (below > 0) nav.scrollTop += below
    },
    { root: nav },
  )
  observer.observe(active)
  return () => observer.disconnect()
}
