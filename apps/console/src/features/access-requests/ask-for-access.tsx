// The way from a device to a request for access to it.
import type { Device } from '@bowline/contract/schemas/device'
import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { Button } from '../../ui/kit.ts'
import { namespaceQuery } from '../namespaces/queries.ts'
import { accessMessages as texts } from './messages.ts'

export function AskForAccess({ device: { uid, status } }: { readonly device: Pick<Device, 'uid' | 'status'> }) {
  const { api } = useRuntime()
  const may = useMay('deviceConnect')
  const tenant = usePerson()?.tenant ?? ''
  const { data: namespace } = useQuery({ ...namespaceQuery(api, tenant), enabled: tenant !== '' })
  if (!may || status !== 'accepted' || namespace?.settings.access_requests !== true) return null
  return (
    <Button
      variant="default"
      size="compact-sm"
      renderRoot={(props) => <Link to="/access-requests" search={{ device: uid }} {...props} />}
    >
      {texts.ask}
    </Button>
  )
}
