// Dialog that creates an install key, which is shown once with the command that uses it.
import { installKeys as operations } from '@bowline/contract/operations/fleet/install-keys'
import { InstallKeyBody, InstallKeyName } from '@bowline/contract/schemas/fleet/install-key'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '../../ui/kit.ts'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { enrolCommand, installCommand, parseSshEndpoint } from '../devices/add/commands.ts'
import { infoQuery } from '../instance/queries.ts'
import { TagsField } from '../tags/tags-field.tsx'
import { installKeysMessages as texts } from './messages.ts'
import { INSTALL_KEYS } from './queries.ts'

const Fields = z.object({
  name: InstallKeyName,
  accepts: z.enum(['yes', 'no']).transform((choice) => choice === 'yes'),
  tags: InstallKeyBody.shape.tags,
  /** Empty: any number. */
  max_uses: z
    .string()
    .transform((text) => (text.trim() === '' ? null : Number(text)))
    .pipe(InstallKeyBody.shape.max_uses.unwrap()),
  expires_in_days: z
    .string()
    .transform((choice) => (choice === 'never' ? null : Number(choice)))
    .pipe(InstallKeyBody.shape.expires_in_days.unwrap()),
})

export function CreateKey({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const [key, setKey] = useState<string>()
  const close = () => {
    setKey(undefined)
    onClose()
  }
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={key === undefined ? texts.addTitle : texts.secretTitle}
      insists={key !== undefined}
    >
      {key === undefined ? <Form onKey={setKey} onCancel={close} /> : <Secret text={key} onDone={close} />}
    </Dialog>
  )
}

function Form({ onKey, onCancel }: { readonly onKey: (key: string) => void; readonly onCancel: () => void }) {
  const { api } = useRuntime()
  const create = useAction({
    call: async (body: z.output<typeof Fields>) => (await api.call(operations.create, { body })).body,
    invalidates: [INSTALL_KEYS],
  })
  const form = useContractForm({
    schema: Fields,
    values: { name: '', accepts: 'yes', tags: [], max_uses: '', expires_in_days: '30' },
    labels: texts.labels,
    taken: texts.taken,
    async send(body) {
      onKey((await create.send(body)).key)
    },
  })
  const tags = form.form.watch('tags') ?? []
  return (
    <DialogForm form={form} failed={texts.addFailed} submit={texts.add} onCancel={onCancel}>
      <TextInput {...form.field('name')} data-autofocus autoComplete="off" />
      <NativeSelect
        {...form.field('accepts')}
        data={Object.entries(texts.choices).map(([value, label]) => ({ value, label }))}
      />
      <TagsField tags={tags} onChange={(next) => form.form.setValue('tags', next)} error={form.errorOf('tags')} />
      <TextInput {...form.field('max_uses')} description={texts.usesHint} inputMode="numeric" autoComplete="off" />
      <NativeSelect
        {...form.field('expires_in_days')}
        data={Object.entries(texts.lifetimes).map(([value, label]) => ({ value, label }))}
      />
    </DialogForm>
  )
}

/** Closes only after confirming that it is stored: it cannot be shown again. */
function Secret({ text, onDone }: { readonly text: string; readonly onDone: () => void }) {
  const { api } = useRuntime()
  const info = useQuery(infoQuery(api))
  const tenant = usePerson()?.tenant ?? ''
  return (
    <Stack gap="md">
      <Text size="sm">{texts.secretText}</Text>
      <CopyField text={text} what={texts.secretWhat} focusFirst />
      {info.data ? (
        <div>
          <Text size="sm" mb={4}>
            {texts.commandText}
          </Text>
          <CopyField
            text={`${installCommand(location.origin, tenant, info.data.pin)} -s -- --key ${text}`}
            what={texts.commandWhat}
          />
          <Text size="sm" mt="md" mb={4}>
            {texts.enrolText}
          </Text>
          <CopyField text={enrolCommand(parseSshEndpoint(info.data.endpoints.ssh), text)} what={texts.enrolWhat} />
        </div>
      ) : null}
      <Group justify="flex-end">
        <Button onClick={onDone}>{texts.done}</Button>
      </Group>
    </Stack>
  )
}
