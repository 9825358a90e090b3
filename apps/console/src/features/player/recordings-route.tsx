// Binds the search over recordings to its route.
import { getRouteApi } from '@tanstack/react-router'
import { RecordingsPage } from './recordings-page.tsx'

const route = getRouteApi('/app/recordings')

export function RecordingsRoute() {
  return <RecordingsPage search={route.useSearch()} />
}
