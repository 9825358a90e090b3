// Binds the device page to its route.
import { getRouteApi } from '@tanstack/react-router'
import { DevicePage } from './device-page.tsx'

const route = getRouteApi('/app/devices/$uid')

export function DeviceRoute() {
  const { uid } = route.useParams()
  return <DevicePage key={uid} uid={uid} />
}
