// Button that opens a terminal on a device, on its page and in its row.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import { useMay } from '../../core/context.tsx'
import { Button, Tooltip } from '../../ui/kit.ts'
import { connectMessages as texts } from './connect-messages.ts'
import classes from './connect-button.module.css'

export function ConnectButton({ device }: { readonly device: Pick<Device, 'uid' | 'name' | 'online' | 'status'> }) {
  const mayConnect = useMay('deviceConnect')
  const navigate = useNavigate()
  if (device.status !== 'accepted') return null
  const disabledReason = mayConnect ? (device.online ? undefined : texts.offline) : texts.roleTooLow
  return (
    <Tooltip label={disabledReason ?? texts.connect}>
      <Button
        size="compact-sm"
        variant="default"
        disabled={disabledReason !== undefined}
        aria-label={texts.connectTo(device.name)}
        onClick={() => void navigate({ to: '/terminal', search: { device: device.uid } })}
      >
        <span className={classes['face']}>
          <SquareTerminal size={15} aria-hidden />
          <span className={classes['word']}>{texts.connect}</span>
        </span>
      </Button>
    </Tooltip>
  )
}
