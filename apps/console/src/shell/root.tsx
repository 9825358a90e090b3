// Root layout: the live region and notifications around every page.
import { Notifications } from '@mantine/notifications'
import { Outlet } from '@tanstack/react-router'
import { ConnectivityBanner } from './connectivity/connectivity-banner.tsx'
import { FreshProof } from './fresh-proof/fresh-proof.tsx'
import { Recovered } from './fresh-proof/recovered.tsx'
import { Announcer } from '../ui/feedback/announce.tsx'

export function Root() {
  return (
    <>
      <Announcer />
      <Notifications position="bottom-right" />
      <ConnectivityBanner />
      <Outlet />
      <FreshProof />
      <Recovered />
    </>
  )
}
