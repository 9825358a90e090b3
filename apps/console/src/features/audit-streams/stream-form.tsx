// Form of an audit stream. Its address and its authorization are not shown again.
import { type AuditStream, AuditStreamBody, STREAM_FORMATS } from '@bowline/contract/operations/fleet/audit-streams'
import { z } from 'zod'
import { DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Checkbox, MultiSelect, NativeSelect, TextInput } from '../../ui/kit.ts'
import { auditMessages } from '../audit/messages.ts'
import { streamMessages as texts } from './messages.ts'

const { shape } = AuditStreamBody

const Fields = z
  .object({
    name: shape.name,
    url: z.string().trim(),
    format: z.enum(STREAM_FORMATS),
    authorization: z.string().trim(),
    withoutAuthorization: z.boolean(),
    nouns: shape.nouns.unwrap(),
    recordings: z.boolean(),
  })
  .transform(({ authorization, withoutAuthorization, ...fields }) => ({
    ...fields,
    authorization: withoutAuthorization ? null : authorization,
  }))

/** Empty texts: what is there stays. */
export type StreamFields = z.output<typeof Fields>

interface StreamFormProps {
  /** The stream that is changed; absent: a new one. */
  readonly stream?: AuditStream
  readonly send: (fields: StreamFields) => Promise<void>
  readonly onCancel: () => void
}

export function StreamForm({ stream, send, onCancel }: StreamFormProps) {
  const form = useContractForm({
    schema: Fields,
    values: {
      name: stream?.name ?? '',
      url: '',
      format: stream?.format ?? 'ndjson',
      authorization: '',
      withoutAuthorization: false,
      nouns: stream?.nouns ?? [],
      recordings: stream?.recordings ?? false,
    },
    labels: texts.labels,
    send,
  })
  const { watch, setValue, register } = form.form
  const [nouns, without] = watch(['nouns', 'withoutAuthorization'])
  const isKept = stream?.has_authorization === true
  return (
    <DialogForm
      form={form}
      failed={stream ? texts.saveFailed : texts.addFailed}
      submit={stream ? texts.save : texts.add}
      onCancel={onCancel}
    >
      <TextInput {...form.field('name')} data-autofocus autoComplete="off" />
      <TextInput
        {...form.field('url')}
        description={stream ? texts.urlKept : texts.urlHint}
        placeholder="https://splunk.example.com:8088/services/collector/event"
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        {...form.field('format')}
        data={STREAM_FORMATS.map((value) => ({ value, label: texts.formats[value] }))}
      />
      <TextInput
        {...form.field('authorization')}
        description={isKept ? texts.authorizationKept : texts.authorizationHint}
        disabled={without}
        autoComplete="off"
        spellCheck={false}
      />
      {isKept ? <Checkbox label={texts.withoutAuthorization} {...register('withoutAuthorization')} /> : null}
      <MultiSelect
        label={texts.labels.nouns}
        description={texts.nounsHint}
        value={[...nouns]}
        data={choicesOf(nouns)}
        error={form.errorOf('nouns')}
        searchable
        hidePickedOptions
        onChange={(next) => setValue('nouns', next, { shouldDirty: true })}
      />
      <Checkbox label={texts.recordings} description={texts.recordingsHint} {...register('recordings')} />
    </DialogForm>
  )
}

/** Kinds of entries, also those that the API alone knows. */
function choicesOf(chosen: readonly string[]): { value: string; label: string }[] {
  const known: Readonly<Record<string, string>> = auditMessages.nouns
  const others = chosen.filter((noun) => !(noun in known))
  return [
    ...Object.entries(known).map(([value, label]) => ({ value, label })),
    ...others.map((noun) => ({ value: noun, label: noun })),
  ]
}
