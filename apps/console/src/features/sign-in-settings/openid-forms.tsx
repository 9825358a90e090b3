// Forms of an OpenID provider: one adds it, the other changes it. The issuer stays: people are known by it.
import { openidRedirectUrl } from '@bowline/contract/openid-redirect'
import { type OpenidProvider, OpenidProviderBody, openid } from '@bowline/contract/operations/single-sign-on'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { DialogForm } from '../../ui/feedback/dialog.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Checkbox, Group, Stack, Text, TextInput } from '../../ui/kit.ts'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { signInSettingsMessages as texts } from './messages.ts'
import { SETTINGS_KEY } from './queries.ts'

const { labels } = texts
const { name, client_id, client_secret, group_claim, sign_out } = OpenidProviderBody.shape
const Added = z.object({ name, issuer: OpenidProviderBody.shape.issuer, client_id, client_secret, group_claim })
const Changed = z.object({
  name,
  client_id,
  client_secret: z.union([z.literal(''), client_secret]),
  group_claim,
  sign_out: sign_out.unwrap(),
})

/** @param base beginning of redirect addresses */
export function NewProvider({ base }: { readonly base: string }) {
  const { api } = useRuntime()
  const add = useAction({
    call: (body: z.output<typeof Added>) => api.call(openid.add, { body }),
    done: (body) => texts.added(body.name),
    invalidates: [SETTINGS_KEY],
  })
  const form = useContractForm({
    schema: Added,
    values: { name: '', issuer: '', client_id: '', client_secret: '', group_claim: 'groups' },
    labels,
    send: async (body) => void (await add.send(body)),
  })
  const issuer = form.form.watch('issuer').trim()
  return (
    <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <Stack gap="sm">
        {form.failure === undefined ? null : <ErrorPanel title={texts.notAdded} error={form.failure} />}
        <TextInput {...form.field('name')} autoComplete="off" />
        <TextInput {...form.field('issuer')} inputMode="url" spellCheck={false} />
        <RedirectAddress url={issuer === '' ? '' : openidRedirectUrl(base, issuer)} />
        <TextInput {...form.field('client_id')} autoComplete="off" spellCheck={false} />
        <PasswordField {...form.field('client_secret')} autoComplete="off" />
        <TextInput {...form.field('group_claim')} description={texts.groupsText} spellCheck={false} />
        <Group justify="flex-end">
          <Button type="submit" loading={form.form.formState.isSubmitting}>
            {texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Redirect address to enter at the provider; each issuer has one of its own. */
function RedirectAddress({ url }: { readonly url: string }) {
  return (
    <div>
      <Text size="sm">{texts.redirect}</Text>
      {url === '' ? (
        <Text size="sm" c="dimmed">
          {texts.redirectLater}
        </Text>
      ) : (
        <CopyField text={url} what={texts.redirect} />
      )}
    </div>
  )
}

interface ChangeProps {
  readonly provider: OpenidProvider
  /** Address to enter at the provider for back-channel logout. */
  readonly logoutUrl: string
  readonly onDone: () => void
}

export function ChangeProvider({ provider, logoutUrl, onDone }: ChangeProps) {
  const { api } = useRuntime()
  const change = useAction({
    call: ({ client_secret: secret, ...rest }: z.output<typeof Changed>) =>
      api.call(openid.update, {
        params: { id: provider.id },
        body: { ...rest, ...(secret === '' ? {} : { client_secret: secret }) },
      }),
    done: (body) => texts.changed(body.name),
    invalidates: [SETTINGS_KEY],
  })
  const form = useContractForm({
    schema: Changed,
    values: { ...provider, client_secret: '' },
    labels,
    async send(body) {
      await change.send(body)
      onDone()
    },
  })
  return (
    <DialogForm form={form} failed={texts.notChanged} submit={texts.save} onCancel={onDone}>
      <TextInput {...form.field('name')} data-autofocus autoComplete="off" />
      <RedirectAddress url={provider.redirect_url} />
      <TextInput {...form.field('client_id')} autoComplete="off" spellCheck={false} />
      <PasswordField {...form.field('client_secret')} description={texts.secretStays} autoComplete="off" />
      <TextInput {...form.field('group_claim')} description={texts.groupsText} spellCheck={false} />
      <div>
        <Text size="sm">{texts.backChannel}</Text>
        <CopyField text={logoutUrl} what={texts.backChannel} />
      </div>
      <Checkbox {...form.form.register('sign_out')} label={texts.signOut} description={texts.signOutHint} />
    </DialogForm>
  )
}
