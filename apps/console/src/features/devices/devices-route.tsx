// Binds the devices page to its address.
import { getRouteApi } from '@tanstack/react-router'
import { DevicesPage } from './devices-page.tsx'

const route = getRouteApi('/app/devices')

export function DevicesRoute() {
  return <DevicesPage search={route.useSearch()} />
}
