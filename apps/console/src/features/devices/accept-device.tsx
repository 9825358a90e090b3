// Button that accepts a device. One with the MAC address of an accepted one would replace it, which is asked about first.
import type { Device } from '@bowline/contract/schemas/device'
import { useState } from 'react'
import { useMay } from '../../core/context.tsx'
import { useDialogFile } from '../../core/use-dialog-file.ts'
import { pageFile } from '../../platform/page-files.ts'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { devicesMessages as texts } from './messages.ts'

const loadReplace = pageFile(() => import('./replace-device.tsx'))

interface AcceptDeviceProps {
  readonly device: Device
  /** An action on the device is in progress. */
  readonly acting: boolean
  readonly onAccept: () => void
}

export function AcceptDevice({ device, acting, onAccept }: AcceptDeviceProps) {
  const mayAccept = useMay('deviceAccept', device)
  // Not this device is removed, but the one that it replaces.
  const mayRemove = useMay('deviceRemove')
  const [isAsked, setAsked] = useState(false)
  const close = () => setAsked(false)
  const module = useDialogFile(loadReplace, isAsked, close)
  const { name, replaces } = device
  const mayReplace = !replaces || mayRemove
  return (
    <>
      <GatedButton
        size="compact-sm"
        may={mayAccept && mayReplace}
        why={mayReplace ? texts.roleTooLow : texts.replaceRoleTooLow}
        disabled={acting}
        aria-label={replaces ? texts.replaceNamed(name) : texts.acceptNamed(name)}
        onClick={() => (replaces ? setAsked(true) : onAccept())}
      >
        {replaces ? texts.replace : texts.accept}
      </GatedButton>
      {replaces && module ? (
        <module.ReplaceDevice
          device={device}
          replaced={replaces}
          opened={isAsked}
          onClose={close}
          onConfirm={onAccept}
        />
      ) : null}
    </>
  )
}
