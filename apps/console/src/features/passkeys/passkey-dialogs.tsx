// Dialogs that add a passkey and rename one.
import { passkeys as operations } from '@bowline/contract/operations/passkeys'
import { type Passkey, PasskeyName } from '@bowline/contract/schemas/passkey'
import { z } from 'zod'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { TextInput } from '../../ui/kit.ts'
import { createPasskey } from './browser.ts'
import { passkeyMessages as texts } from './messages.ts'
import { AFTER_CHANGE } from './queries.ts'

interface PasskeyDialogProps {
  /** undefined: closed. */
  readonly edited: Passkey | 'new' | undefined
  readonly onClose: () => void
}

export function PasskeyDialog({ edited, onClose }: PasskeyDialogProps) {
  const isNew = edited === 'new'
  const title = isNew || edited === undefined ? texts.add : texts.renameTitle(edited.name)
  return (
    <Dialog opened={edited !== undefined} onClose={onClose} title={title}>
      {isNew ? <Add onDone={onClose} /> : edited ? <Rename passkey={edited} onDone={onClose} /> : null}
    </Dialog>
  )
}

const NewPasskey = z.object({ name: PasskeyName, current_password: z.string().max(1_024) })
const WithPassword = NewPasskey.extend({ current_password: z.string().min(1, 'is required').max(1_024) })

function Add({ onDone }: { readonly onDone: () => void }) {
  const { api, session } = useRuntime()
  const person = usePerson()
  // People with a second factor prove that one instead, and those without a password sign in again at their provider.
  const needsPassword = person?.mfa !== true && person?.has_password === true
  const add = useAction({
    async call({ name, current_password }: z.output<typeof NewPasskey>) {
      const body = needsPassword ? { current_password } : {}
      const { body: options } = await api.call(operations.registerOptions, { body })
      const credential = await createPasskey(options)
      await api.call(operations.register, { body: { name, credential } })
      await session.renew()
    },
    done: ({ name }) => texts.added(name),
    invalidates: AFTER_CHANGE,
  })
  const form = useContractForm({
    losable: true,
    schema: needsPassword ? WithPassword : NewPasskey,
    values: { name: '', current_password: '' },
    labels: texts.labels,
    async send(body) {
      await add.send(body)
      onDone()
    },
  })
  return (
    <>
      <DialogForm form={form} failed={texts.addFailed} submit={texts.add} onCancel={onDone}>
        <TextInput {...form.field('name')} description={texts.addHint} data-autofocus autoComplete="off" />
        {needsPassword ? (
          <PasswordField
            {...form.field('current_password')}
            description={texts.passwordHint}
            autoComplete="current-password"
          />
        ) : null}
      </DialogForm>
    </>
  )
}

const Named = z.object({ name: PasskeyName })

function Rename({ passkey, onDone }: { readonly passkey: Passkey; readonly onDone: () => void }) {
  const { api } = useRuntime()
  const { id, name: before } = passkey
  const patch = (name: string) => api.call(operations.rename, { params: { id }, body: { name } })
  const rename = useAction({
    call: (name: string) => patch(name),
    done: (name) => texts.renamed(name),
    undo: () => patch(before),
    invalidates: AFTER_CHANGE,
  })
  const form = useContractForm({
    losable: true,
    schema: Named,
    values: { name: before },
    labels: texts.labels,
    async send({ name }) {
      await rename.send(name)
      onDone()
    },
  })
  return (
    <DialogForm form={form} failed={texts.renameFailed} submit={texts.save} onCancel={onDone}>
      <TextInput {...form.field('name')} data-autofocus autoComplete="off" />
    </DialogForm>
  )
}
