// The form that sets the SAML provider: by the address of its metadata, by the metadata, or by hand.
import { SamlProviderBody, singleSignOn } from '@bowline/contract/operations/single-sign-on'
import type { SignInSettings } from '@bowline/contract/operations/single-sign-on'
import { type ReactNode, useState } from 'react'
import type { FieldValues } from 'react-hook-form'
import type { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { TextArea } from '../../ui/form/text-area.tsx'
import { type ContractForm, useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Group, NativeSelect, Stack, TextInput } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { SETTINGS_KEY } from './queries.ts'
import { ByAddress, ByHand, ByMetadata, joinCertificates } from './saml-fields.ts'
import { samlMessages as texts } from './saml-messages.ts'

const WAYS = ['url', 'xml', 'hand'] as const
const { labels, hints } = texts

type Provider = SignInSettings['provider']
type Send = (body: z.input<typeof SamlProviderBody>) => Promise<void>

export function SamlDescription({ provider }: { readonly provider: Provider }) {
  const { api } = useRuntime()
  const isByHand = provider.entity_id !== '' && provider.metadata_url === ''
  const [way, choose] = useState<(typeof WAYS)[number]>(isByHand ? 'hand' : 'url')
  const set = useAction({
    call: (body: z.input<typeof SamlProviderBody>) => api.call(singleSignOn.setProvider, { body }),
    done: texts.providerSet,
    invalidates: [SETTINGS_KEY],
  })
  const send: Send = async (body) => void (await set.send(body))
  return (
    <SectionCard title={texts.describe} text={texts.describeText}>
      <Stack gap="sm">
        <NativeSelect
          label={texts.how}
          value={way}
          data={WAYS.map((value) => ({ value, label: texts.ways[value] }))}
          onChange={({ currentTarget: { value } }) => choose(WAYS.find((one) => one === value) ?? 'url')}
        />
        {way === 'url' ? <AddressForm provider={provider} onSend={send} /> : null}
        {way === 'xml' ? <MetadataForm onSend={send} /> : null}
        {way === 'hand' ? <HandForm provider={provider} onSend={send} /> : null}
      </Stack>
    </SectionCard>
  )
}

interface FormProps {
  readonly provider: Provider
  readonly onSend: Send
}

function AddressForm({ provider, onSend }: FormProps) {
  const form = useContractForm({
    schema: ByAddress,
    values: { metadata_url: provider.metadata_url },
    labels,
    send: onSend,
  })
  return (
    <Fields form={form}>
      <TextInput {...form.field('metadata_url')} description={hints.metadata_url} inputMode="url" spellCheck={false} />
    </Fields>
  )
}

function MetadataForm({ onSend }: Pick<FormProps, 'onSend'>) {
  const form = useContractForm({ schema: ByMetadata, values: { metadata: '' }, labels, send: onSend })
  return (
    <Fields form={form}>
      <TextArea {...form.field('metadata')} rows={6} spellCheck={false} />
    </Fields>
  )
}

function HandForm({ provider, onSend }: FormProps) {
  const { entity_id, signon_url, certificates } = provider
  const pem = joinCertificates(certificates.map(({ certificate }) => certificate))
  const form = useContractForm({
    schema: ByHand,
    values: { entity_id, signon_url, certificates: pem },
    labels,
    send: onSend,
  })
  return (
    <Fields form={form}>
      <TextInput {...form.field('entity_id')} autoComplete="off" spellCheck={false} />
      <TextInput {...form.field('signon_url')} description={hints.signon_url} inputMode="url" spellCheck={false} />
      <TextArea {...form.field('certificates')} description={hints.certificates} rows={6} spellCheck={false} />
    </Fields>
  )
}

interface FieldsProps<In extends FieldValues, Out> {
  readonly form: ContractForm<In, Out>
  readonly children: ReactNode
}

function Fields<In extends FieldValues, Out>({ form, children }: FieldsProps<In, Out>) {
  return (
    <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <Stack gap="sm">
        {form.failure === undefined ? null : <ErrorPanel title={texts.providerNotSet} error={form.failure} />}
        {children}
        <Group justify="flex-end">
          <Button type="submit" loading={form.form.formState.isSubmitting}>
            {texts.set}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
