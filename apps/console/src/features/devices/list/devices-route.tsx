// Binds the lists of devices and containers to their routes.
import { getRouteApi } from '@tanstack/react-router'
import { DevicesPage } from './devices-page.tsx'

const devices = getRouteApi('/app/devices')
const containers = getRouteApi('/app/containers')

export function DevicesRoute() {
  return <DevicesPage kind="devices" search={devices.useSearch()} />
}

export function ContainersRoute() {
  return <DevicesPage kind="containers" search={containers.useSearch()} />
}
