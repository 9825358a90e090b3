// Page of the signed-in person's own account.
import { users } from '@bowline/contract/operations/users'
import { Email, Password, PersonName, Username } from '@bowline/contract/schemas/common'
import { useState } from 'react'
import { z } from 'zod'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import type { Person } from '../../auth/session.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { TypedConfirm } from '../../ui/feedback/typed-confirm.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Group, Stack, Text, TextInput } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { PageSections } from '../../ui/page/page-sections.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { NewPasswordForm, PasswordRemoval } from '../passkeys/own-password.tsx'
import { DeletedNamespaces } from '../namespaces/deleted-namespaces.tsx'
import { OwnInvitations } from '../people/own-invitations.tsx'
import { PasskeysCard } from '../passkeys/passkeys-card.tsx'
import { SecondFactorCard } from '../second-factor/second-factor-card.tsx'
import { Activity } from './activity.tsx'
import { Appearance } from './appearance.tsx'
import { Identities, IdentitiesStay } from './identities.tsx'
import { profileMessages as texts } from './messages.ts'
import { PersonalData } from './personal-data.tsx'
import { SignIns } from './sign-ins.tsx'

export function ProfilePage() {
  const person = usePerson()
  return (
    <Page title={texts.title}>
      {person ? (
        <PageSections>
          <Stack gap="md">
            <OwnInvitations />
            <DeletedNamespaces />
            <Account key={JSON.stringify(person)} person={person} />
            {person.has_password ? <PasswordCard person={person} /> : <NoPasswordCard person={person} />}
            <PasskeysCard />
            <SecondFactorCard />
            <SignIns />
            <Identities />
            <Activity />
            <PersonalData />
            <Appearance />
            <Deletion person={person} />
          </Stack>
        </PageSections>
      ) : null}
    </Page>
  )
}

type Addresses = Pick<Person, 'email' | 'recovery_email'>

const isMoved = (before: Addresses, { email, recovery_email }: Addresses): boolean =>
  email.toLowerCase() !== before.email || recovery_email.toLowerCase() !== before.recovery_email

/** A new address needs the current password: otherwise a stolen session could take the account over. */
const accountFields = (before: Addresses) =>
  z
    .object({
      name: PersonName,
      username: Username,
      email: Email,
      recovery_email: z.union([z.literal(''), Email]),
      current_password: z.string().max(1_024),
    })
    .refine(({ email, recovery_email }) => email !== recovery_email, {
      path: ['recovery_email'],
      message: texts.sameEmail,
    })
    .refine((fields) => fields.current_password !== '' || !isMoved(before, fields), {
      path: ['current_password'],
      message: texts.required,
    })

function Account({ person }: { readonly person: Person }) {
  const { api, session } = useRuntime()
  const before = {
    name: person.name,
    username: person.user,
    email: person.email,
    recovery_email: person.recovery_email,
  }
  const patch = async (body: typeof before & { current_password?: string }) => {
    await api.call(users.update, { body })
    await session.renew()
  }
  const save = useAction({
    call: patch,
    done: texts.saved,
    undo: () => patch(before),
    // It would need the password again.
    canUndo: (body) => !isMoved(before, body),
  })
  const form = useContractForm({
    schema: accountFields(before),
    values: { ...before, current_password: '' },
    labels: texts.labels,
    async send({ current_password, ...body }) {
      await save.send(isMoved(before, body) ? { ...body, current_password } : body)
    },
  })
  const [email, recovery_email] = form.form.watch(['email', 'recovery_email'])
  return (
    <SectionCard id="account" title={texts.account} text={texts.accountText}>
      <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
        <Stack gap="md">
          {form.failure === undefined ? null : <ErrorPanel title={texts.saveFailed} error={form.failure} />}
          <TextInput {...form.field('name')} autoComplete="name" />
          <TextInput
            {...form.field('username')}
            description={texts.usernameHint}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
          />
          <TextInput {...form.field('email')} type="email" autoComplete="email" />
          {person.pending_email === '' ? null : (
            <Callout tone="note">{texts.pendingAddress(person.pending_email)}</Callout>
          )}
          <TextInput {...form.field('recovery_email')} description={texts.recoveryHint} type="email" />
          {isMoved(before, { email, recovery_email }) ? (
            <PasswordField
              {...form.field('current_password')}
              description={texts.passwordForAddress}
              autoComplete="current-password"
            />
          ) : null}
          <Text size="xs" c="dimmed">
            {texts.signInWith(waysIn(person).join(', '))}
          </Text>
          <Group justify="flex-end">
            <Button type="submit" disabled={!form.form.formState.isDirty} loading={form.form.formState.isSubmitting}>
              {texts.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  )
}

function waysIn({ auth_methods, has_password, mfa }: Person): string[] {
  return auth_methods.map((method) =>
    method === 'local' && !has_password && mfa ? texts.passkey : texts.methods[method],
  )
}

const PasswordFields = z.object({ current_password: z.string().min(1, 'is required').max(1_024), password: Password })

function PasswordCard({ person }: { readonly person: Person }) {
  const { api, session } = useRuntime()
  const change = useAction({
    async call(body: z.output<typeof PasswordFields>) {
      await api.call(users.update, { body })
      // The change revoked every session of the account, this one included. Signing in again needs the second factor,
      // where there is one: the sign-in page asks for it.
      if (person.mfa) await session.renew()
      else await session.signIn({ username: person.user, password: body.password })
    },
    done: texts.changed,
  })
  const form = useContractForm({
    losable: true,
    schema: PasswordFields,
    values: { current_password: '', password: '' },
    labels: texts.labels,
    async send(body) {
      await change.send(body)
      form.form.reset()
    },
  })
  return (
    <SectionCard id="password" title={texts.password} text={texts.passwordText}>
      <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
        <Stack gap="md">
          {form.failure === undefined ? null : <ErrorPanel title={texts.changeFailed} error={form.failure} />}
          <PasswordField {...form.field('current_password')} autoComplete="current-password" />
          <PasswordField {...form.field('password')} description={texts.passwordHint} autoComplete="new-password" />
          <Group justify="flex-end">
            <Button type="submit" variant="default" loading={form.form.formState.isSubmitting}>
              {texts.change}
            </Button>
          </Group>
        </Stack>
      </form>
      <IdentitiesStay />
      <PasswordRemoval />
    </SectionCard>
  )
}

function NoPasswordCard({ person }: { readonly person: Person }) {
  return (
    <SectionCard id="password" title={texts.password}>
      {person.auth_methods.includes('local') ? <NewPasswordForm /> : <Text size="sm">{texts.passwordAtProvider}</Text>}
    </SectionCard>
  )
}

function Deletion({ person }: { readonly person: Person }) {
  const { api, session } = useRuntime()
  const [isAsked, setAsked] = useState(false)
  const remove = useAction({
    async call() {
      await api.call(users.remove, {})
      // Its session has ended with it: there may be nothing left to sign out of.
      await session.signOut().catch(() => session.receive({ type: 'signed-out' }))
    },
    done: texts.deleted,
    failed: texts.deletionFailed,
  })
  return (
    <SectionCard id="deletion" title={texts.deletion} text={texts.deletionText}>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => setAsked(true)}>
          {texts.deletionAction}
        </Button>
      </Group>
      <TypedConfirm
        opened={isAsked}
        title={texts.deletionTitle}
        action={texts.deletionAction}
        onClose={() => setAsked(false)}
        word={person.user}
        isWord={(typed) => typed.toLowerCase() === person.user}
        onConfirm={() => void remove.run()}
      >
        <Text size="sm">{texts.deletionConfirm}</Text>
      </TypedConfirm>
    </SectionCard>
  )
}
