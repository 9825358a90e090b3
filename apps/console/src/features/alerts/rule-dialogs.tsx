// Dialogs that add and change an alert rule. The secret of a new webhook is shown once.
import { type AlertRule, alerts } from '@bowline/contract/operations/fleet/alerts'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { Text } from '../../ui/kit.ts'
import { alertsMessages as texts } from './messages.ts'
import { NewSecret } from './new-secret.tsx'
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
      {secret === undefined ? <RuleForm send={send} onCancel={close} /> : <NewSecret secret={secret} onDone={close} />}
    </Dialog>
  )
}

/** Asks, replaces the secret of a webhook, and shows the new one this once. */
export function RenewSecret({ rule, onClose }: EditRuleProps) {
  const { api } = useRuntime()
  const [secret, setSecret] = useState<string>()
  const renew = useAction({
    call: async ({ id }: AlertRule) => {
      const { body } = await api.call(alerts.renewSecret, { params: { id } })
      setSecret(body.secret ?? undefined)
    },
    failed: texts.renewFailed,
    invalidates: [ALERTS],
  })
  const done = () => setSecret(undefined)
  return (
    <>
      <Confirm
        opened={rule !== undefined}
        title={texts.renewTitle(rule?.name ?? '')}
        action={texts.renew}
        onClose={onClose}
        onConfirm={() => rule && void renew.run(rule)}
      >
        <Text size="sm">{texts.renewText}</Text>
      </Confirm>
      <Dialog opened={secret !== undefined} onClose={done} title={texts.secretTitle} insists>
        {secret === undefined ? null : <NewSecret secret={secret} onDone={done} />}
      </Dialog>
    </>
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
function bodyOf({ name, minutes, devices, threshold, tags, filter, recipients, url }: RuleFields) {
  return { name, minutes, devices, threshold, tags, filter, recipients, ...(url === null ? {} : { url }) }
}
