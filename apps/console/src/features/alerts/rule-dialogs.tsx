// Dialogs that add and change an alert rule. The secret of a new webhook is shown once.
import { type AlertRule, alerts } from '@bowline/contract/operations/fleet/alerts'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { alertsMessages as texts } from './messages.ts'
import { ALERTS } from './queries.ts'
import { type RuleFields, RuleForm } from './rule-form.tsx'

interface AddRuleProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function AddRule({ opened, onClose }: AddRuleProps) {
  const { api } = useRuntime()
  const [secret, setSecret] = useState<string>()
  const close = () => {
    setSecret(undefined)
    onClose()
  }
  const create = useAction({
    call: async (body: RuleFields) => (await api.call(alerts.create, { body })).body,
    invalidates: [ALERTS],
  })
  const send = async (fields: RuleFields) => {
    const made = await create.send(fields)
    if (made.secret === null) close()
    else setSecret(made.secret)
  }
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={secret === undefined ? texts.addTitle : texts.secretTitle}
      insists={secret !== undefined}
    >
      {secret === undefined ? (
        <RuleForm send={send} onCancel={close} />
      ) : (
        <Stack gap="md">
          <Text size="sm">{texts.secretText}</Text>
          <CopyField text={secret} what={texts.secretWhat} focusFirst />
          <Group justify="flex-end">
            <Button onClick={close}>{texts.done}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}

interface EditRuleProps {
  readonly rule: AlertRule | undefined
  readonly onClose: () => void
}

export function EditRule({ rule, onClose }: EditRuleProps) {
  const { api } = useRuntime()
  const update = useAction({
    call: (change: { id: string; body: Parameters<typeof bodyOf>[0] }) =>
      api.call(alerts.update, { params: { id: change.id }, body: bodyOf(change.body) }),
    done: ({ body }) => texts.saved(body.name),
    invalidates: [ALERTS],
  })
  return (
    <Dialog opened={rule !== undefined} onClose={onClose} title={texts.editTitle(rule?.name ?? '')}>
      {rule ? (
        <RuleForm
          rule={rule}
          send={async (body) => {
            await update.send({ id: rule.id, body })
            onClose()
          }}
          onCancel={onClose}
        />
      ) : null}
    </Dialog>
  )
}

/** Without an address the present one is kept. */
function bodyOf({ name, minutes, devices, tags, recipients, url }: RuleFields) {
  return { name, minutes, devices, tags, recipients, ...(url === null ? {} : { url }) }
}
