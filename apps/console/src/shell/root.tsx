// Root layout: the live region and notifications around every page.
import { useNotifications } from '@mantine/notifications'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useDeferredValue, useEffect } from 'react'
import { ConnectivityBanner } from './connectivity/connectivity-banner.tsx'
import { FreshProof } from './fresh-proof/fresh-proof.tsx'
import { Recovered } from './fresh-proof/recovered.tsx'
import { Announcer } from '../ui/feedback/announce.tsx'
import { Tips } from '../ui/feedback/tips.tsx'
import { useLater } from '../platform/lazy-part.tsx'
import { pageFile } from '../platform/page-files.ts'

const loadNotices = pageFile(() => import('../ui/feedback/notices.tsx'))

export function Root() {
  // The router has React draw what it has loaded in one piece. The first page is all there is: deferred, it is drawn in
  // slices, with the mark of index.html until then.
  const mayDraw = useDeferredValue(true, false)
  useEffect(() => {
    if (mayDraw) document.querySelector('.boot')?.remove()
  }, [mayDraw])
  if (!mayDraw) return null
  return (
    <>
      <Announcer />
      <Notices />
      <ConnectivityBanner />
      <Outlet />
      <FreshProof />
      <Recovered />
      <Tips />
    </>
  )
}

/** Notifications wait in their store until the file is there. */
function Notices() {
  const { notifications } = useNotifications()
  const module = useLater(loadNotices, notifications.length > 0, () => undefined)
  // A prompt is at the bottom of a terminal, so they lie on the bars above it.
  const isTerminal = useLocation({ select: ({ pathname }) => pathname === '/terminal' })
  return module ? <module.Notifications position={isTerminal ? 'top-right' : 'bottom-right'} /> : null
}
