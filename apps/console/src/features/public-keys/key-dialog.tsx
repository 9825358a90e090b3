// Dialog that adds a key or edits its owner and devices. The key itself is immutable.
import { KeyName, type PublicKey } from '@bowline/contract/schemas/public-key'
import { Pattern } from '@bowline/contract/schemas/tag'
import { useState } from 'react'
import { z } from 'zod'
import { useMay, usePerson } from '../../core/context.tsx'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { FileText } from '../../ui/text/file-text.tsx'
import { Text, TextInput } from '../../ui/kit.ts'
import { TextArea } from '../../ui/form/text-area.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { DeviceChoiceFields } from '../tags/device-choice-fields.tsx'
import { deviceChoiceFields, checkChoice, setDeviceChoice, toChoice, toFilter } from '../tags/device-choice.ts'
import { ANY, PatternField } from '../tags/pattern-field.tsx'
import { useKeyActions } from './actions.ts'
import { KeyDevices } from './key-devices.tsx'
import { KeyLine, commentOf, encodeKeyLine } from './key-data.ts'
import { RegisteredFingerprint } from './key-fingerprint.tsx'
import { publicKeysMessages as texts } from './messages.ts'
import { OwnerField, ownerChoice, ownerOf } from './owner-field.tsx'

interface KeyDialogProps {
  /** undefined: closed. */
  readonly edited: PublicKey | 'new' | undefined
  /** Line of the new key, where it is known already. */
  readonly line?: string
  readonly onClose: () => void
}

const shared = { name: KeyName, username: Pattern, ...deviceChoiceFields }
const NewKey = z.object({ ...shared, data: KeyLine }).superRefine(checkChoice)
const KnownKey = z.object({ ...shared, data: z.string() }).superRefine(checkChoice)

export function KeyDialog({ edited, line = '', onClose }: KeyDialogProps) {
  const title = edited === undefined || edited === 'new' ? texts.addTitle : texts.editTitle(edited.name)
  return (
    <Dialog opened={edited !== undefined} onClose={onClose} title={title} size="lg">
      {edited === undefined ? null : <Body edited={edited} line={line} onDone={onClose} />}
    </Dialog>
  )
}

interface BodyProps {
  readonly edited: PublicKey | 'new'
  readonly line: string
  readonly onDone: () => void
}

function Body({ edited, line, onDone }: BodyProps) {
  const actions = useKeyActions()
  const isNew = edited === 'new'
  const may = useMay(isNew ? 'publicKeyCreate' : 'publicKeyEdit')
  const mayTry = useMay('publicKeyEdit')
  const own = usePerson()?.id ?? ''
  const [owner, setOwner] = useState(ownerChoice(edited, own))
  const form = useContractForm({
    schema: isNew ? NewKey : KnownKey,
    values: {
      name: isNew ? commentOf(line) : edited.name,
      username: isNew ? ANY : edited.username,
      data: line,
      ...toChoice(isNew ? {} : edited.filter),
    },
    labels: texts.labels,
    async send(values) {
      const { name, username, data } = values
      const body = { name, username, filter: toFilter(values), ...ownerOf(owner) }
      await (isNew
        ? actions.add.send({ body, data: encodeKeyLine(data) })
        : actions.save.send({ before: edited, body }))
      onDone()
    },
  })
  const { watch, setValue, getValues } = form.form
  const takeData = (line: string) => {
    setValue('data', line, { shouldValidate: form.form.formState.isSubmitted })
    if (KeyLine.safeParse(line).success && getValues('name').trim() === '') setValue('name', commentOf(line))
  }
  return (
    <DialogForm
      form={form}
      failed={texts.saveFailed}
      submit={isNew ? texts.add : texts.save}
      onCancel={onDone}
      refused={may ? undefined : texts.roleTooLow}
    >
      {isNew ? (
        <div>
          <TextArea
            {...form.field('data')}
            description={texts.dataHint}
            rows={3}
            data-autofocus
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => takeData(event.currentTarget.value)}
          />
          <FileText label={texts.chooseFile} accept=".pub,text/plain" onText={takeData} />
        </div>
      ) : (
        <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          <RegisteredFingerprint item={edited} canCopy />
        </Text>
      )}
      <TextInput {...form.field('name')} maxLength={64} autoComplete="off" />
      <OwnerField value={owner} isDisabled={!isNew && edited.disabled} onChange={setOwner} />
      <PatternField
        label={texts.labels.username}
        value={watch('username')}
        error={form.errorOf('username')}
        placeholder={texts.loginPlaceholder}
        onChange={(username) => setValue('username', username, { shouldDirty: true })}
      />
      <DeviceChoiceFields
        choice={watch()}
        errors={{ hostname: form.errorOf('hostname'), tags: form.errorOf('tags') }}
        patternHint={texts.patternHint}
        onChange={(change) => setDeviceChoice(setValue, change)}
      />
      {mayTry ? <KeyDevices choice={watch()} /> : null}
    </DialogForm>
  )
}
