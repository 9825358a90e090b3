// Opens a terminal on a device: on its page and in its row.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import { useMay } from '../../app/context.tsx'
import { Button, Tooltip } from '../../ui/kit.ts'
import { terminalMessages as texts } from './messages.ts'

export function ConnectButton({ device }: { readonly device: Pick<Device, 'uid' | 'name' | 'online' | 'status'> }) {
  const mayConnect = useMay('deviceConnect')
  const navigate = useNavigate()
  if (device.status !== 'accepted') return null
  const hindrance = mayConnect ? (device.online ? undefined : texts.offline) : texts.roleTooLow
  return (
    <Tooltip label={hindrance} disabled={hindrance === undefined}>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<SquareTerminal size={14} aria-hidden />}
        disabled={hindrance !== undefined}
        aria-label={texts.connectTo(device.name)}
        onClick={() => void navigate({ to: '/terminal', search: { device: device.uid } })}
      >
        {texts.connect}
      </Button>
    </Tooltip>
  )
}
