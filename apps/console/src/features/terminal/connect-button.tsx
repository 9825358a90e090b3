// Button that opens a terminal on a device, on its page and in its row. A plain element: a list has one in each row.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import { useMay } from '../../core/context.tsx'
import { connectMessages as texts } from './connect-messages.ts'
import classes from './connect-button.module.css'

export function ConnectButton({ device }: { readonly device: Pick<Device, 'uid' | 'name' | 'online' | 'status'> }) {
  const mayConnect = useMay('deviceConnect')
  const navigate = useNavigate()
  if (device.status !== 'accepted') return null
  const refusal = mayConnect ? (device.online ? undefined : texts.offline) : texts.roleTooLow
  return (
    <button
      type="button"
      className={classes['connect']}
      aria-label={texts.connectTo(device.name)}
      aria-disabled={refusal === undefined ? undefined : true}
      data-tip={refusal ?? texts.connect}
      onClick={() => refusal === undefined && void navigate({ to: '/terminal', search: { device: device.uid } })}
    >
      <SquareTerminal size={15} aria-hidden />
      <span className={classes['word']}>{texts.connect}</span>
    </button>
  )
}
