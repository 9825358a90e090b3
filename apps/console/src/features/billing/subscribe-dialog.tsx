// Asks before a namespace is subscribed: what is billed, and at which price.
import { billing } from '@bowline/contract/operations/billing'
import type { DevicePrice } from '@bowline/contract/schemas/billing'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { Button, Group, Text } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { billingMessages as texts } from './messages.ts'
import { formatPrice } from './money.ts'

interface SubscribeDialogProps {
  readonly opened: boolean
  readonly price: DevicePrice | null
  /** Accepted devices. */
  readonly devices: number
  readonly onClose: () => void
}

export function SubscribeDialog({ opened, price, devices, onClose }: SubscribeDialogProps) {
  const { api } = useRuntime()
  const subscribe = useAction({
    call: () => api.call(billing.createSubscription, {}),
    done: texts.subscribed,
    failed: texts.subscribeFailed,
    invalidates: [keys.billing, keys.namespaces, keys.devices],
  })
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.subscribeTitle}>
      <Text size="sm">{texts.subscribeText(texts.deviceCount(devices))}</Text>
      {price ? (
        <Text size="sm" mt="xs" fw={600}>
          {formatPrice(price)}
        </Text>
      ) : null}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          {uiMessages.cancel}
        </Button>
        <Button
          loading={subscribe.isPending}
          onClick={() => void subscribe.run(undefined).then((isDone) => isDone && onClose())}
        >
          {texts.subscribe}
        </Button>
      </Group>
    </Dialog>
  )
}
