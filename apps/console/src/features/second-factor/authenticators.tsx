// The authenticators of an account: names, last use, rename, remove.
import { mfa } from '@bowline/contract/operations/mfa'
import { NEVER } from '@bowline/contract/schemas/common'
import { type Authenticator, AuthenticatorName } from '@bowline/contract/schemas/second-factor'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Group, Text, TextInput } from '../../ui/kit.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { secondFactorMessages as texts } from './messages.ts'
import { SECOND_FACTOR } from './queries.ts'
import classes from './second-factor.module.css'

export function Authenticators({ list }: { readonly list: readonly Authenticator[] }) {
  const { api, session } = useRuntime()
  const [renamed, setRenamed] = useState<Authenticator>()
  const [removed, setRemoved] = useState<Authenticator>()
  const remove = useAction({
    async call({ id }: Authenticator) {
      await api.call(mfa.remove, { params: { id } })
      await session.renew()
    },
    done: ({ name }) => texts.removed(name),
    failed: ({ name }) => texts.removeFailed(name),
    invalidates: [SECOND_FACTOR, ['account-activity']],
  })
  return (
    <>
      <ul className={classes['list']} aria-label={texts.card}>
        {list.map((one) => (
          <li key={one.id} className={classes['item']}>
            <div className={classes['what']}>
              <Text size="sm" fw={550}>
                {one.name}
              </Text>
              <Text size="xs" c="dimmed">
                {one.last_used_at === NEVER ? (
                  texts.neverUsed
                ) : (
                  <>
                    {texts.lastUsed} <TimeAgo time={one.last_used_at} />
                  </>
                )}
              </Text>
            </div>
            <Group gap={4}>
              <IconButton data-tip={texts.rename} aria-label={texts.renameOf(one.name)} onClick={() => setRenamed(one)}>
                <Pencil size={15} aria-hidden />
              </IconButton>
              <IconButton data-tip={texts.remove} aria-label={texts.removeOf(one.name)} onClick={() => setRemoved(one)}>
                <Trash2 size={15} aria-hidden />
              </IconButton>
            </Group>
          </li>
        ))}
      </ul>
      <Dialog opened={renamed !== undefined} onClose={() => setRenamed(undefined)} title={texts.renameTitle}>
        {renamed ? <Rename one={renamed} onClose={() => setRenamed(undefined)} /> : null}
      </Dialog>
      <Confirm
        opened={removed !== undefined}
        title={texts.removeTitle(removed?.name ?? '')}
        action={texts.remove}
        onClose={() => setRemoved(undefined)}
        onConfirm={() => {
          if (removed) void remove.run(removed)
        }}
      >
        {list.length === 1 ? texts.removeLastText : texts.removeText}
      </Confirm>
    </>
  )
}

const Name = z.object({ name: AuthenticatorName })

function Rename({ one, onClose }: { readonly one: Authenticator; readonly onClose: () => void }) {
  const { api } = useRuntime()
  const rename = useAction({
    call: (body: z.output<typeof Name>) => api.call(mfa.rename, { params: { id: one.id }, body }),
    done: ({ name }) => texts.renamed(name),
    invalidates: [SECOND_FACTOR, ['account-activity']],
  })
  const form = useContractForm({
    losable: true,
    schema: Name,
    values: { name: one.name },
    labels: { name: texts.name },
    async send(fields) {
      await rename.send(fields)
      onClose()
    },
  })
  return (
    <DialogForm form={form} failed={texts.renameFailed} submit={texts.save} onCancel={onClose}>
      <TextInput {...form.field('name')} autoComplete="off" data-autofocus />
    </DialogForm>
  )
}
