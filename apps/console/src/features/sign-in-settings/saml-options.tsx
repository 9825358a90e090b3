// Options of SAML: the attributes that are read, roles by group, signed requests, and sign-ins that the provider
// begins.
import { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import type { SignInSettings } from '@bowline/contract/operations/single-sign-on'
import { useState } from 'react'
import type { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Group, Stack, Switch, Text, TextInput, Title } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { groupRoleMessages } from './group-role-messages.ts'
import { GroupRoles } from './group-roles.tsx'
import { signInSettingsMessages } from './messages.ts'
import { SETTINGS_KEY } from './queries.ts'
import { Mapping } from './saml-fields.ts'
import { samlMessages as texts } from './saml-messages.ts'

type Provider = SignInSettings['provider']
const SWITCHES = ['sign_requests', 'unsolicited'] as const

export function SamlOptions({ provider }: { readonly provider: Provider }) {
  const { api } = useRuntime()
  const [isAsking, setAsking] = useState(false)
  const change = useAction({
    call: ({ name, isOn }: { name: (typeof SWITCHES)[number]; isOn: boolean }) =>
      api.call(singleSignOn.setProvider, { body: { [name]: isOn } }),
    done: ({ name }) => signInSettingsMessages.saved(texts[name].label),
    failed: signInSettingsMessages.notSaved,
    invalidates: [SETTINGS_KEY],
  })
  return (
    <SectionCard title={texts.options}>
      {SWITCHES.map((name) => (
        <SettingRow key={name} label={texts[name].label} hint={texts[name].hint}>
          <Switch
            aria-label={texts[name].label}
            checked={provider[name]}
            onChange={({ currentTarget: { checked } }) => {
              if (name === 'unsolicited' && checked) setAsking(true)
              else void change.run({ name, isOn: checked })
            }}
          />
        </SettingRow>
      ))}
      {provider.unsolicited ? <Callout tone="warn">{texts.unsolicitedIsOn}</Callout> : null}
      <AttributeForm provider={provider} />
      <Title order={3} mt="md">
        {groupRoleMessages.title}
      </Title>
      <GroupRoles roles={provider.roles} save={(roles) => api.call(singleSignOn.setProvider, { body: { roles } })} />
      <Confirm
        opened={isAsking}
        title={texts.unsolicitedTitle}
        action={texts.unsolicitedConfirm}
        onConfirm={() => void change.run({ name: 'unsolicited', isOn: true })}
        onClose={() => setAsking(false)}
      >
        <Text size="sm">{texts.unsolicitedText}</Text>
      </Confirm>
    </SectionCard>
  )
}

function AttributeForm({ provider }: { readonly provider: Provider }) {
  const { api } = useRuntime()
  const { email_attribute, name_attribute, group_attribute } = provider
  const save = useAction({
    call: (body: z.output<typeof Mapping>) => api.call(singleSignOn.setProvider, { body }),
    done: texts.mappingSaved,
    invalidates: [SETTINGS_KEY],
  })
  const form = useContractForm({
    schema: Mapping,
    values: { email_attribute, name_attribute, group_attribute },
    labels: texts.labels,
    send: async (body) => void (await save.send(body)),
  })
  return (
    <form noValidate aria-label={texts.mapping} onSubmit={(event) => void form.onSubmit(event)}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {texts.mappingText}
        </Text>
        {form.failure === undefined ? null : <ErrorPanel title={texts.mappingNotSaved} error={form.failure} />}
        <TextInput {...form.field('email_attribute')} autoComplete="off" spellCheck={false} />
        <TextInput {...form.field('name_attribute')} autoComplete="off" spellCheck={false} />
        <TextInput {...form.field('group_attribute')} autoComplete="off" spellCheck={false} />
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={form.form.formState.isSubmitting}>
            {texts.saveMapping}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
