// Copies the SSH command of a device, with the user name that was used last.
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { useSshUser } from '../../core/devices/ssh-user.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { infoQuery } from '../instance/queries.ts'
import { parseSshEndpoint, sshLine } from './add/commands.ts'
import { devicesMessages as texts } from './messages.ts'

export function CopySsh({ device }: { readonly device: Pick<Device, 'name' | 'namespace'> }) {
  const { api } = useRuntime()
  const { data: info } = useQuery(infoQuery(api))
  const user = useSshUser()
  if (!info) return null
  const target = { namespace: device.namespace, device: device.name }
  const line = sshLine(parseSshEndpoint(info.endpoints.ssh), target, user)
  return <CopyButton text={line} what={texts.sshCommandOf(device.name)} hint={line} />
}
