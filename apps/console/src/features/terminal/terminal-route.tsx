// Binds the terminals to their route.
import { getRouteApi } from '@tanstack/react-router'
import { TerminalPage } from './terminal-page.tsx'

const route = getRouteApi('/app/terminal')

export function TerminalRoute() {
  const { device, join } = route.useSearch()
  return <TerminalPage device={device} join={join} />
}
