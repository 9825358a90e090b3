// Copies the SSH command of a device, with the user name that was used last.
import type { Device } from '@bowline/contract/schemas/device'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useSshUser } from '../../core/devices/ssh-user.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { infoQuery } from '../instance/queries.ts'
import { parseSshEndpoint, sshLine } from './add/commands.ts'
import { devicesMessages as texts } from './messages.ts'

type Target = Pick<Device, 'name' | 'namespace'>

/** The SSH command of a device: asked for once, not in each row. Undefined until the server has said where it is. */
export function useSshLines(): ((device: Target) => string) | undefined {
  const { api } = useRuntime()
  const endpoint = useQuery(infoQuery(api)).data?.endpoints.ssh
  const user = useSshUser()
  return useMemo(() => {
    if (endpoint === undefined) return undefined
    const server = parseSshEndpoint(endpoint)
    return ({ namespace, name }: Target) => sshLine(server, { namespace, device: name }, user)
  }, [endpoint, user])
}

interface CopySshProps {
  readonly device: Target
  readonly line: string
}

export function CopySsh({ device, line }: CopySshProps) {
  return <CopyButton text={line} what={texts.sshCommandOf(device.name)} hint={line} />
}
