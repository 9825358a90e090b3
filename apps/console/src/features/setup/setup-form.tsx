// Form of the first account, validated by the contract's own schemas, so that the browser reports what the server
// would.
import { instance } from '@bowline/contract/operations/instance'
import { Email, Password, PersonName, Username } from '@bowline/contract/schemas/common'
import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { announce } from '../../ui/feedback/announce.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { fieldErrors, fieldSentence } from '../../ui/form/field-errors.ts'
import { Button, Stack, TextInput } from '../../ui/kit.ts'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { infoQuery } from '../instance/queries.ts'
import { setupMessages as texts } from './messages.ts'

const Account = z.object({ name: PersonName, email: Email, username: Username, password: Password })
const FIELDS = ['name', 'email', 'username', 'password'] as const

export function SetupForm({ sign }: { readonly sign: string }) {
  const { api, session } = useRuntime()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [failure, setFailure] = useState<unknown>()
  const { register, handleSubmit, formState, setError } = useForm({
    resolver: zodResolver(Account),
    defaultValues: { name: '', email: '', username: '', password: '' },
  })
  const { labels, hints } = texts

  const submit = handleSubmit(async (account) => {
    setFailure(undefined)
    try {
      await api.call(instance.setup, { query: { sign }, body: account })
      announce(texts.done)
      await session.signIn({ username: account.username, password: account.password })
      void queryClient.invalidateQueries(infoQuery(api))
      await navigate({ to: '/devices', replace: true })
    } catch (error) {
      const wrong = fieldErrors(error, texts.notAccepted)
      const fields = FIELDS.filter((field) => wrong.some((each) => each.field === field))
      for (const field of fields) {
        const rule = wrong.find((each) => each.field === field)?.rule ?? texts.notAccepted
        setError(field, { message: rule }, { shouldFocus: field === fields[0] })
      }
      if (fields.length === 0) setFailure(error)
    }
  })

  const field = (name: (typeof FIELDS)[number]) => {
    const rule = formState.errors[name]?.message
    return {
      label: labels[name],
      error: rule === undefined ? null : fieldSentence(labels[name], rule),
      ...register(name),
    }
  }
  return (
    <form noValidate onSubmit={submit}>
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
        <Button type="submit" fullWidth loading={formState.isSubmitting}>
          {texts.submit}
        </Button>
      </Stack>
    </form>
  )
}
