// Confirms that a device replaces the accepted one with its MAC address: both keys are shown, because anybody can claim
// any MAC address.
import type { Device } from '@bowline/contract/schemas/device'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Fact, Facts } from '../../ui/page/facts.tsx'
import { Text } from '../../ui/kit.ts'
import { KeyFingerprint } from './key-fingerprint.tsx'
import { devicesMessages as texts } from './messages.ts'

interface ReplaceDeviceProps {
  readonly device: Device
  readonly replaced: NonNullable<Device['replaces']>
  readonly opened: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
}

export function ReplaceDevice({ device, replaced, opened, onClose, onConfirm }: ReplaceDeviceProps) {
  return (
    <Confirm
      opened={opened}
      title={texts.replaceTitle(replaced.name)}
      action={texts.replace}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <Text size="sm">{texts.replaceText(device.name, replaced.name)}</Text>
      <Facts title={texts.replaceKeys}>
        <Fact name={texts.replaceOldKey}>
          <code>{replaced.fingerprint || texts.noFingerprint}</code>
        </Fact>
        <Fact name={texts.replaceNewKey}>
          <KeyFingerprint publicKey={device.public_key} />
        </Fact>
      </Facts>
      <Callout tone="warn">{texts.replaceWarning}</Callout>
    </Confirm>
  )
}
