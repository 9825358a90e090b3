// Registration: of anybody where that is open, or of an invited person, whose address is fixed.
import { users } from '@bowline/contract/operations/users'
import { Email, Password, PersonName, Username } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Stack, Text, TextInput } from '../../ui/kit.ts'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { infoQuery } from '../instance/queries.ts'
import { peopleMessages as texts } from './messages.ts'
import { type InvitationLink, hrefOf, linkOf, searchOf } from './search.ts'

const route = getRouteApi('/sign-up')
const Account = z
  .object({ name: PersonName, email: Email, username: Username, password: Password })
  .refine(({ password, username, email }) => ![username, email].includes(password.toLowerCase()), {
    path: ['password'],
    message: texts.passwordIsName,
  })

export function SignUpPage() {
  const { api } = useRuntime()
  const { data: info } = useQuery(infoQuery(api))
  const invitation = linkOf(route.useSearch())
  const mode = info?.registration ?? 'open'
  if (mode === 'closed' || (mode === 'invited' && !invitation)) {
    return (
      <FrontPage title={texts.signUp} heading={texts.signUpClosed}>
        <Stack>
          <Text size="sm">{mode === 'closed' ? texts.signUpClosedText : texts.signUpLinkText}</Text>
          <Link to="/sign-in">{texts.toSignIn}</Link>
        </Stack>
      </FrontPage>
    )
  }
  return (
    <FrontPage title={texts.signUp} heading={texts.signUp}>
      <SignUpForm key={invitation?.sig ?? ''} invitation={invitation} />
    </FrontPage>
  )
}

function SignUpForm({ invitation }: { readonly invitation: InvitationLink | undefined }) {
  const { api, session } = useRuntime()
  const navigate = useNavigate()
  const create = useAction({
    call: async (account: z.output<typeof Account>) =>
      (
        await api.call(users.register, {
          body: { ...account, email_marketing: false, ...(invitation ? { sig: invitation.sig } : {}) },
        })
      ).body,
  })
  const { form, field, failure, onSubmit } = useContractForm({
    losable: true,
    schema: Account,
    values: { name: '', email: invitation?.email ?? '', username: '', password: '' },
    labels: texts.labels,
    async send(account) {
      const isConfirmed = (await create.send(account)) !== undefined
      if (!isConfirmed) return navigate({ to: '/confirm-account', search: { username: account.username } })
      await session.signIn({ username: account.username, password: account.password })
      if (invitation) await navigate({ to: '/accept-invite', search: searchOf(invitation), replace: true })
    },
  })
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)}>
      <Stack gap="md">
        {failure === undefined ? null : <ErrorPanel title={texts.signUpFailed} error={failure} />}
        <TextInput {...field('name')} autoComplete="name" />
        <TextInput
          {...field('email')}
          type="email"
          autoComplete="email"
          readOnly={invitation !== undefined}
          {...(invitation ? { description: texts.invitedAddress } : {})}
        />
        <TextInput
          {...field('username')}
          description={texts.usernameHint}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <PasswordField {...field('password')} description={texts.passwordHint} autoComplete="new-password" />
        <Button type="submit" fullWidth loading={form.formState.isSubmitting}>
          {texts.submit}
        </Button>
        <Link to="/sign-in" search={invitation ? { redirect: hrefOf(invitation) } : {}}>
          {texts.haveAccount}
        </Link>
      </Stack>
    </form>
  )
}
