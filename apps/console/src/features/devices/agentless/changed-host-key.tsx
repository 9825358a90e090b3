// Notice of a device without an agent whose SSH server presents another host key than the accepted one, and the dialog
// that accepts the key: exactly the one that was shown.
import { devices as operations } from '@bowline/contract/operations/devices'
import type { Device, DeviceHostKey } from '@bowline/contract/schemas/device'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { Callout } from '../../../ui/feedback/callout.tsx'
import { Confirm } from '../../../ui/feedback/confirm.tsx'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { Group, Stack, Text } from '../../../ui/kit.ts'
import { Fact, Facts } from '../../../ui/page/facts.tsx'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { agentlessMessages as texts } from './messages.ts'

type Presented = NonNullable<DeviceHostKey['presented']>

export function ChangedHostKey({ device }: { readonly device: Device }) {
  const { host_key: hostKey } = device
  if (!hostKey?.presented) return null
  return <Changed device={device} accepted={hostKey.fingerprint} presented={hostKey.presented} />
}

interface ChangedProps {
  readonly device: Device
  /** Fingerprint. */
  readonly accepted: string
  readonly presented: Presented
}

function Changed({ device, accepted, presented }: ChangedProps) {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const mayAccept = useMay('deviceRemove', device)
  /** The key that the open dialog shows: one that appears meanwhile does not take its place. */
  const [asked, setAsked] = useState<Presented>()
  const { uid, name } = device
  const accept = useAction({
    subject: () => uid,
    async call(fingerprint: string) {
      const { body } = await api.call(operations.acceptHostKey, { params: { uid }, body: { fingerprint } })
      queryClient.setQueryData<Device>(keys.device(uid), body)
    },
    done: () => texts.done(name),
    failed: texts.failed(name),
    invalidates: [keys.device(uid), keys.deviceLists],
  })
  return (
    <Callout tone="warn" title={texts.title}>
      <Stack gap="xs">
        <Text size="sm">
          {texts.text} <TimeAgo time={presented.since} />
        </Text>
        <Keys accepted={accepted} presented={presented} />
        <Group>
          <GatedButton
            size="compact-sm"
            may={mayAccept}
            why={texts.roleTooLow}
            disabled={accept.isPending}
            onClick={() => setAsked(presented)}
          >
            {texts.open}
          </GatedButton>
        </Group>
      </Stack>
      <Confirm
        opened={asked !== undefined}
        title={texts.confirm(name)}
        action={texts.accept}
        onClose={() => setAsked(undefined)}
        onConfirm={() => void (asked && accept.run(asked.fingerprint))}
      >
        <Text size="sm">{texts.confirmText}</Text>
        {asked ? <Keys accepted={accepted} presented={asked} /> : null}
        <Callout tone="warn">{texts.warning}</Callout>
      </Confirm>
    </Callout>
  )
}

function Keys({ accepted, presented }: Omit<ChangedProps, 'device'>) {
  return (
    <Facts title={texts.keys}>
      <Fact name={texts.acceptedKey}>
        <code>{accepted}</code>
      </Fact>
      <Fact name={texts.presentedKey}>
        <code>{presented.fingerprint}</code>
        <CopyButton text={presented.fingerprint} what={texts.presentedWhat} />
      </Fact>
    </Facts>
  )
}
