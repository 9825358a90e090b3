// Binds the sessions page to its route.
import { getRouteApi } from '@tanstack/react-router'
import { SessionsPage } from './sessions-page.tsx'

const route = getRouteApi('/app/sessions')

export function SessionsRoute() {
  return <SessionsPage search={route.useSearch()} />
}
