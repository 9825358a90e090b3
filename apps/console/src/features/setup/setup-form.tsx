// Form of the first account, validated by the contract's own schemas, so that the browser reports what the server
// would.
import { instance } from '@bowline/contract/operations/instance'
import { Email, Password, PersonName, Username } from '@bowline/contract/schemas/common'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Stack, TextInput } from '../../ui/kit.ts'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { infoQuery } from '../instance/queries.ts'
import { setupMessages as texts } from './messages.ts'

const Account = z.object({ name: PersonName, email: Email, username: Username, password: Password })

export function SetupForm({ sign }: { readonly sign: string }) {
  const { api, session } = useRuntime()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { labels, hints } = texts
  const create = useAction({
    call: (account: z.output<typeof Account>) => api.call(instance.setup, { query: { sign }, body: account }),
    done: texts.done,
  })
  const { form, field, failure, onSubmit } = useContractForm({
    losable: true,
    schema: Account,
    values: { name: '', email: '', username: '', password: '' },
    labels,
    async send(account) {
      await create.send(account)
      await session.signIn({ username: account.username, password: account.password })
      void queryClient.invalidateQueries(infoQuery(api))
      await navigate({ to: '/devices', replace: true })
    },
  })
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)}>
      <Stack gap="md">
        {failure === undefined ? null : <ErrorPanel title={texts.failed} error={failure} />}
        <TextInput {...field('name')} autoComplete="name" />
        <TextInput {...field('email')} type="email" autoComplete="email" />
        <TextInput
          {...field('username')}
          description={hints.username}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <PasswordField {...field('password')} description={hints.password} autoComplete="new-password" />
        <Button type="submit" fullWidth loading={form.formState.isSubmitting}>
          {texts.submit}
        </Button>
      </Stack>
    </form>
  )
}
