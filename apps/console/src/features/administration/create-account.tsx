// Button and dialog that create an account on this server.
import { administration } from '@bowline/contract/operations/instance/administration'
import { Email, Password, Username } from '@bowline/contract/schemas/common'
import { useNavigate } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Text, TextInput } from '../../ui/kit.ts'
import { administrationMessages } from './messages.ts'
import { PEOPLE } from './queries.ts'

const texts = administrationMessages.people.create
const Account = z.object({ username: Username, email: Email, password: Password })

export function CreateAccount() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {texts.button}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={texts.title}>
        <Form onDone={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function Form({ onDone }: { readonly onDone: () => void }) {
  const { api } = useRuntime()
  const navigate = useNavigate()
  const create = useAction({
    call: async (body: z.output<typeof Account>) => (await api.call(administration.createPerson, { body })).body,
    done: ({ username }) => texts.done(username),
    invalidates: [PEOPLE],
  })
  const form = useContractForm({
    schema: Account,
    values: { username: '', email: '', password: '' },
    labels: texts.labels,
    async send(body) {
      const { id } = await create.send(body)
      onDone()
      await navigate({ to: '/instance/people/$user', params: { user: id } })
    },
  })
  const asTyped = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const
  return (
    <DialogForm form={form} failed={texts.failed} submit={texts.button} onCancel={onDone}>
      <Text size="sm">{texts.text}</Text>
      <TextInput {...form.field('username')} {...asTyped} description={texts.hints.username} data-autofocus />
      <TextInput {...form.field('email')} {...asTyped} type="email" />
      <PasswordField {...form.field('password')} description={texts.hints.password} autoComplete="new-password" />
    </DialogForm>
  )
}
