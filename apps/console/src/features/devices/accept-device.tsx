// Dialog that accepts a device. A device with the MAC address of an accepted one would replace it: both keys are shown
// first, because anybody can claim any MAC address.
import type { Device } from '@bowline/contract/schemas/device'
import { useState } from 'react'
import { useMay } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Fact, Facts } from '../../ui/page/facts.tsx'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { Text } from '../../ui/kit.ts'
import { KeyFingerprint } from './key-fingerprint.tsx'
import { devicesMessages as texts } from './messages.ts'

interface AcceptDeviceProps {
  readonly device: Device
  /** An action on the device is in progress. */
  readonly acting: boolean
  readonly onAccept: () => void
}

export function AcceptDevice({ device, acting, onAccept }: AcceptDeviceProps) {
  const mayAccept = useMay('deviceAccept')
  const mayRemove = useMay('deviceRemove')
  const [isAsked, setAsked] = useState(false)
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
      {replaces ? (
        <Confirm
          opened={isAsked}
          title={texts.replaceTitle(replaces.name)}
          action={texts.replace}
          onClose={() => setAsked(false)}
          onConfirm={onAccept}
        >
          <Text size="sm">{texts.replaceText(name, replaces.name)}</Text>
          <Facts title={texts.replaceKeys}>
            <Fact name={texts.replaceOldKey}>
              <code>{replaces.fingerprint || texts.noFingerprint}</code>
            </Fact>
            <Fact name={texts.replaceNewKey}>
              <KeyFingerprint publicKey={device.public_key} />
            </Fact>
          </Facts>
          <Callout tone="warn">{texts.replaceWarning}</Callout>
        </Confirm>
      ) : null}
    </>
  )
}
