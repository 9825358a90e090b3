// Dialog that puts a key into the vault: a pasted one, or one generated here. The first key sets the vault up.
import { readPrivateKey } from '@bowline/ssh/keys/read-private-key'
import { KeyName } from '@bowline/contract/schemas/public-key'
import { z } from 'zod'
import { usePerson, useRuntime, useStore } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { TextArea } from '../../ui/form/text-area.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Text, TextInput } from '../../ui/kit.ts'
import { FileText } from '../../ui/text/file-text.tsx'
import { vaultMessages as texts } from './messages.ts'
import { keyFault, makeKey } from './new-key.ts'
import {
  NewWayFields,
  NewWayValues,
  ProofFields,
  ProofValues,
  checkNewWay,
  checkProof,
  firstWay,
  toNewWay,
  toProof,
} from './proof-fields.tsx'
import type { Way } from './store/records.ts'
import { VaultError } from './store/vault-error.ts'
import { vaultOf } from './vault.ts'

export type KeySource = 'make' | 'add'

interface KeyFormProps {
  /** undefined: closed. */
  readonly source: KeySource | undefined
  readonly onClose: () => void
  /** The key is in the vault. */
  readonly onDone: (id: string) => void
}

export function KeyForm({ source, onClose, onDone }: KeyFormProps) {
  return (
    <Dialog
      opened={source !== undefined}
      onClose={onClose}
      title={source === 'make' ? texts.make : texts.add}
      size="lg"
    >
      {source === undefined ? null : <Body source={source} onCancel={onClose} onDone={onDone} />}
    </Dialog>
  )
}

const Values = z.object({
  name: KeyName,
  keyText: z.string().max(64 * 1024),
  keyPassphrase: z.string().max(1_024),
  ...ProofValues.shape,
  ...NewWayValues.shape,
})
type Values = z.infer<typeof Values>

/** @param ways undefined while there is no vault: one is chosen */
function schemaOf(source: KeySource, ways: readonly Way[] | undefined) {
  return Values.superRefine((values, context) => {
    if (source === 'add' && values.keyText.trim() === '') {
      context.addIssue({ code: 'custom', path: ['keyText'], message: texts.required })
    }
    if (ways) checkProof(ways, values, context)
    else checkNewWay(values, context)
  })
}

interface BodyProps {
  readonly source: KeySource
  readonly onCancel: () => void
  readonly onDone: (id: string) => void
}

function Body({ source, onCancel, onDone }: BodyProps) {
  const vault = vaultOf(useRuntime())
  const state = useStore(vault.state)
  const person = usePerson()?.email ?? ''
  const ways = 'header' in state ? state.header.ways : undefined
  const put = useAction({
    async call(values: Values) {
      const key = source === 'make' ? await makeKey() : await readPrivateKey(values.keyText, values.keyPassphrase)
      if (!ways) return vault.create(toNewWay(values, person), values.name, key)
      return vault.add(toProof(ways, values), values.name, key)
    },
    done: ({ name }) => texts.keyAdded(name),
  })
  const form = useContractForm({
    schema: schemaOf(source, ways),
    values: {
      name: '',
      keyText: '',
      keyPassphrase: '',
      by: firstWay(ways ?? []),
      passphrase: '',
      kind: 'passphrase',
      newPassphrase: '',
      repeat: '',
    },
    labels: texts.labels,
    async send(values) {
      try {
        onDone(await put.send(values))
      } catch (error) {
        const fault = keyFault(error) ?? proofFault(error)
        if (!fault) throw error
        form.form.setError(fault.field, { message: fault.message }, { shouldFocus: true })
      }
    },
  })
  const { watch, setValue } = form.form
  return (
    <DialogForm
      form={form}
      failed={texts.failed}
      submit={source === 'make' ? texts.make : texts.add}
      onCancel={onCancel}
    >
      <Text size="sm" c="dimmed">
        {source === 'make' ? texts.makeHint : texts.keyHint}
      </Text>
      <TextInput
        {...form.field('name')}
        description={texts.nameHint}
        maxLength={64}
        autoComplete="off"
        data-autofocus={source === 'make' || undefined}
      />
      {source === 'add' ? (
        <>
          <div>
            <TextArea {...form.field('keyText')} rows={4} spellCheck={false} autoCapitalize="none" data-autofocus />
            <FileText label={texts.keyFile} accept="*/*" onText={(text) => setValue('keyText', text)} />
          </div>
          <PasswordField {...form.field('keyPassphrase')} description={texts.keyPassphraseHint} autoComplete="off" />
        </>
      ) : null}
      {ways ? (
        <ProofFields form={form} ways={ways} by={watch('by')} />
      ) : (
        <NewWayFields form={form} kind={watch('kind')} canChoose />
      )}
    </DialogForm>
  )
}

/** A wrong passphrase is shown at its field. */
export function proofFault(error: unknown): { field: 'passphrase'; message: string } | undefined {
  const isWrong = error instanceof VaultError && error.reason === 'wrong-secret'
  return isWrong ? { field: 'passphrase', message: texts.wrong } : undefined
}
