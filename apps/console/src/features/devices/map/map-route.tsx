// Binds the map of devices to its route.
import { getRouteApi } from '@tanstack/react-router'
import { MapPage } from './map-page.tsx'

const route = getRouteApi('/app/devices/map')

export function MapRoute() {
  return <MapPage search={route.useSearch()} />
}
