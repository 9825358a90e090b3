// Binds the set-up page to its route.
import { getRouteApi } from '@tanstack/react-router'
import { SetupPage } from './setup-page.tsx'

const route = getRouteApi('/setup')

export function SetupRoute() {
  return <SetupPage sign={route.useSearch().sign} />
}
