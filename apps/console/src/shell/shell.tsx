// Layout of every signed-in page: navigation on the left (a drawer on phones), the page on the right, plus the global
// palette and shortcut sheet.
import { keepTyped } from '@bowline/browser/typed-ahead'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useRouterState } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { Suspense, useCallback, useEffect, useState } from 'react'
import { PendingBell } from '../features/devices/bell/pending-bell.tsx'
import { loadJobs } from '../features/devices/jobs/load.ts'
import { WaitingLogins } from '../features/held-logins/waiting-logins.tsx'
import { namespaceQuery } from '../features/namespaces/queries.ts'
import { ownWindow } from '../features/terminal/windows/own-window.ts'
import { lazyPart, useLoaded } from '../platform/lazy-part.tsx'
import { pageFile } from '../platform/page-files.ts'
import { IconButton } from '../ui/controls/icon-button.tsx'
import { ScreenHelp } from '../ui/page/help-link.tsx'
import { Mark } from '../ui/page/mark.tsx'
import { LeaveQuestion } from './leave-question.tsx'
import { LiveMark } from './connectivity/live-mark.tsx'
import { usePerson, useRuntime, useStore } from '../core/context.tsx'
import { appMessages as texts } from '../core/messages.ts'
import { useDialogFile } from '../core/use-dialog-file.ts'
import { docsPageOf } from './docs/screen-docs.ts'
import { Sidebar } from './sidebar.tsx'
import { isSidebarFolded } from '../core/sidebar-fold.ts'
import { useShortcuts } from '../core/use-shortcuts.ts'
import classes from './shell.module.css'

const loadNavigation = pageFile(() => import('./navigation-drawer.tsx'))
const loadPalette = pageFile(() => import('./palette/palette.tsx'), 'soon')
const Palette = lazyPart(loadPalette, (module) => module.Palette)
const loadSheet = pageFile(() => import('./shortcut-sheet.tsx'))
const ShortcutSheet = lazyPart(loadSheet, (module) => module.ShortcutSheet)

const loadNoNamespace = pageFile(() => import('./no-namespace.tsx'))
const NoNamespace = lazyPart(loadNoNamespace, (module) => module.NoNamespace)
const loadDisabled = pageFile(() => import('./disabled-namespace.tsx'))
const DisabledNamespace = lazyPart(loadDisabled, (module) => module.DisabledNamespace)

/** Pages of the person, of a tunnel's address and of the server. */
const WITHOUT_NAMESPACE = /^\/(?:profile(?:\/keys)?$|activate$|approve\/|tunnels\/|instance\/)/

/** Works also while the namespace is disabled. */
const WHILE_DISABLED = /^\/settings\/billing$/

type Overlay = 'navigation' | 'palette' | 'sheet'

export function Shell() {
  const tenant = usePerson()?.tenant
  // People have an account without any namespace, too.
  const needsNamespace = useLocation({ select: ({ pathname }) => !WITHOUT_NAMESPACE.test(pathname) })
  const worksDisabled = useLocation({ select: ({ pathname }) => WHILE_DISABLED.test(pathname) })
  const help = useRouterState({ select: ({ matches }) => docsPageOf(matches.at(-1)?.fullPath ?? '') })
  const { api } = useRuntime()
  const isMember = (tenant ?? '') !== ''
  const namespace = useQuery({ ...namespaceQuery(api, tenant ?? ''), enabled: isMember })
  const isClosed = needsNamespace && !worksDisabled && namespace.data?.disabled === true
  const jobs = useLoaded(loadJobs)
  const isFolded = useStore(isSidebarFolded)
  // Other pages in such a window have the way back around them.
  const isAlone = useLocation({ select: ({ pathname }) => pathname === '/terminal' }) && ownWindow() !== undefined
  const [overlay, setOverlay] = useState<Overlay>()
  const [used, setUsed] = useState<ReadonlySet<Overlay>>(new Set())
  const show = useCallback((next: Overlay) => {
    setOverlay(next)
    setUsed((before) => new Set([...before, next]))
  }, [])
  const close = useCallback(() => setOverlay(undefined), [])
  const navigation = useDialogFile(loadNavigation, overlay === 'navigation', close)
  const [typed, setTyped] = useState<{ readonly take: () => string }>({ take: () => '' })
  useEffect(() => () => void typed.take(), [typed])
  const isPaletteOpen = overlay === 'palette'
  const openPalette = useCallback(() => {
    if (isPaletteOpen) return
    const take = keepTyped(close)
    loadPalette().catch(take)
    setTyped({ take })
    show('palette')
  }, [isPaletteOpen, show, close])
  const openSheet = useCallback(() => show('sheet'), [show])
  const shortcuts = useShortcuts({ openPalette, openSheet })
  // The palette must catch what is typed right after Ctrl+K: it is loaded on the first half of the shortcut.
  useEffect(() => {
    const prepare = ({ key }: KeyboardEvent) =>
      void ((key === 'Control' || key === 'Meta') && loadPalette().catch(() => undefined))
    addEventListener('keydown', prepare)
    return () => removeEventListener('keydown', prepare)
  }, [])
  return (
    // Switching the namespace remounts everything, so that no state of the previous one stays on screen.
    <div
      key={tenant}
      className={classes['shell']}
      data-folded={isFolded || undefined}
      data-alone={isAlone || undefined}
    >
      <a href="#content" className={classes['skip']}>
        {texts.skip}
      </a>
      <header className={classes['bar']}>
        <IconButton size={40} aria-label={texts.openNavigation} onClick={() => show('navigation')}>
          <MenuIcon size={20} aria-hidden />
        </IconButton>
        <Mark size={24} />
        <span className={classes['brand']}>Bowline</span>
        <LiveMark />
        <IconButton size={40} aria-label={texts.palette} onClick={openPalette}>
          <Search size={18} aria-hidden />
        </IconButton>
        <PendingBell />
      </header>
      <div className={classes['side']}>
        <Sidebar onSearch={openPalette} onKeys={openSheet} />
      </div>
      {navigation ? (
        <navigation.NavigationDrawer
          opened={overlay === 'navigation'}
          onClose={close}
          onSearch={openPalette}
          onKeys={openSheet}
        />
      ) : null}
      <main id="content" tabIndex={-1} className={classes['main']}>
        <WaitingLogins />
        <ScreenHelp value={help}>
          <Content
            hasNamespace={tenant !== '' || !needsNamespace}
            isClosed={isClosed}
            onRetry={() => namespace.refetch()}
          />
        </ScreenHelp>
      </main>
      <LeaveQuestion />
      {jobs && isMember ? <jobs.JobWatch /> : null}
      <Suspense>
        {isPaletteOpen ? <Palette takeTyped={typed.take} onClose={close} onShortcuts={openSheet} /> : null}
        {used.has('sheet') ? (
          <ShortcutSheet opened={overlay === 'sheet'} onClose={close} shortcuts={shortcuts} />
        ) : null}
      </Suspense>
    </div>
  )
}

interface ContentProps {
  readonly hasNamespace: boolean
  /** The namespace is disabled, and the page is about it. */
  readonly isClosed: boolean
  readonly onRetry: () => void
}

function Content({ hasNamespace, isClosed, onRetry }: ContentProps) {
  if (hasNamespace && !isClosed) return <Outlet />
  return <Suspense>{hasNamespace ? <DisabledNamespace onRetry={onRetry} /> : <NoNamespace />}</Suspense>
}
