// Dialog that creates an API key, whose secret is shown once, or changes its name or role.
import { LIMITS } from '@bowline/contract/limits'
import { apiKeys as operations } from '@bowline/contract/operations/api-keys'
import { type ApiKey, ApiKeyBody, ApiKeyName } from '@bowline/contract/schemas/api-key'
import { RoleName } from '@bowline/contract/schemas/namespace'
import { SCOPES } from '@bowline/contract/scopes'
import { useState } from 'react'
import { z } from 'zod'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { NativeSelect, TextInput } from '../../ui/kit.ts'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Secret } from './api-key-secret.tsx'
import { teamMessages as texts } from './messages.ts'
import { API_KEY_LISTS } from './queries.ts'
import { roleOptions } from './role-options.ts'
import { ScopesField } from './scopes-field.tsx'
import { knownScopes } from './scopes.ts'

interface ApiKeyDialogProps {
  /** undefined: closed. */
  readonly edited: ApiKey | 'new' | undefined
  readonly onClose: () => void
}

const lifetimes: ReadonlyMap<string, string> = new Map(Object.entries(texts.lifetimes))
const Scopes = z.array(z.enum(SCOPES)).transform((scopes) => (scopes.length === 0 ? null : scopes))
const NewKey = z.object({
  name: ApiKeyName,
  role: RoleName,
  scopes: Scopes,
  /** Days, as select options. */
  expires_at: z.string().transform(Number).pipe(ApiKeyBody.shape.expires_at),
})
const KnownKey = z.object({ name: ApiKeyName, role: RoleName, scopes: Scopes })

export function ApiKeyDialog({ edited, onClose }: ApiKeyDialogProps) {
  const [secret, setSecret] = useState<string>()
  const [isCopied, setCopied] = useState(false)
  const close = () => {
    setSecret(undefined)
    setCopied(false)
    onClose()
  }
  const isNew = edited === 'new'
  const title =
    secret !== undefined ? texts.secretTitle : edited && !isNew ? texts.editKeyTitle(edited.name) : texts.addKeyTitle
  return (
    <Dialog opened={edited !== undefined} onClose={close} title={title} insists={secret !== undefined && !isCopied}>
      {secret !== undefined ? (
        <Secret secret={secret} isCopied={isCopied} onCopied={() => setCopied(true)} onDone={close} />
      ) : isNew ? (
        <Create onSecret={setSecret} onCancel={close} />
      ) : edited ? (
        <Change apiKey={edited} onDone={close} />
      ) : null}
    </Dialog>
  )
}

interface CreateProps {
  readonly onSecret: (secret: string) => void
  readonly onCancel: () => void
}

function Create({ onSecret, onCancel }: CreateProps) {
  const { api } = useRuntime()
  const own = usePerson()?.role ?? ''
  const create = useAction({
    call: async (body: z.output<typeof NewKey>) => (await api.call(operations.create, { body })).body,
    invalidates: [API_KEY_LISTS],
  })
  const form = useContractForm({
    schema: NewKey,
    values: { name: '', role: 'observer', scopes: [], expires_at: '30' },
    labels: texts.labels,
    taken: texts.keyTaken,
    async send(body) {
      onSecret((await create.send(body)).id)
    },
  })
  const [role, scopes] = form.form.watch(['role', 'scopes'])
  return (
    <DialogForm form={form} failed={texts.keyFailed} submit={texts.addKey} onCancel={onCancel}>
      <TextInput {...form.field('name')} description={texts.keyNameHint} data-autofocus autoComplete="off" />
      <NativeSelect {...form.field('role')} description={texts.roleHints[role]} data={roleOptions(own)} />
      <ScopesField
        value={scopes}
        error={form.errorOf('scopes')}
        onChange={(next) => form.form.setValue('scopes', next, { shouldDirty: true })}
      />
      <NativeSelect
        {...form.field('expires_at')}
        data={LIMITS.apiKeyLifetimesDays.map((days) => ({
          value: String(days),
          label: lifetimes.get(String(days)) ?? String(days),
        }))}
      />
    </DialogForm>
  )
}

function Change({ apiKey, onDone }: { readonly apiKey: ApiKey; readonly onDone: () => void }) {
  const { api } = useRuntime()
  const own = usePerson()?.role ?? ''
  const may = useMay('apiKeyUpdate')
  const known = apiKey.scopes && knownScopes(apiKey.scopes)
  const before = { name: apiKey.name, role: apiKey.role, scopes: known }
  // Scopes need a proof of who asks: they are sent if they change only.
  const patch = (key: string, { name, role, scopes }: typeof before, isLimitSent: boolean) =>
    api.call(operations.update, { params: { key }, body: { name, role, ...(isLimitSent ? { scopes } : {}) } })
  const changesLimit = ({ scopes }: typeof before) => String(scopes ?? []) !== String(known ?? [])
  const save = useAction({
    call: (body: typeof before) => patch(before.name, body, changesLimit(body)),
    done: ({ name }) => texts.keySaved(name),
    undo: (body) => patch(body.name, before, changesLimit(body)),
    invalidates: [API_KEY_LISTS],
  })
  const form = useContractForm({
    schema: KnownKey,
    values: { ...before, scopes: known ?? [] },
    labels: texts.labels,
    taken: texts.keyTaken,
    async send(body) {
      await save.send(body)
      onDone()
    },
  })
  const scopes = form.form.watch('scopes')
  return (
    <DialogForm
      form={form}
      failed={texts.keyFailed}
      submit={texts.save}
      onCancel={onDone}
      refused={may ? undefined : texts.roleTooLow}
    >
      <TextInput {...form.field('name')} description={texts.keyNameHint} data-autofocus autoComplete="off" />
      <NativeSelect {...form.field('role')} data={roleOptions(own)} />
      <ScopesField
        value={scopes}
        error={form.errorOf('scopes')}
        onChange={(next) => form.form.setValue('scopes', next, { shouldDirty: true })}
      />
    </DialogForm>
  )
}
