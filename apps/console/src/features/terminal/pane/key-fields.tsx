// Private key input: pasted, from a file, or the one already loaded.
import type { UseFormReturn } from 'react-hook-form'
import { Button, Stack, Text, Textarea } from '../../../ui/kit.ts'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import type { ConnectFields } from './connect-fields.ts'
import type { KeyCredential } from '../connection/credential.ts'
import { terminalMessages as texts } from '../messages.ts'
import classes from '../terminal.module.css'

/** Larger files are not keys. */
const MAX_KEY_BYTES = 64 * 1024

interface KeyFieldsProps {
  readonly form: UseFormReturn<ConnectFields>
  readonly loaded: KeyCredential | undefined
  readonly onForget: () => void
}

export function KeyFields({ form, loaded, onForget }: KeyFieldsProps) {
  const { register, setValue, formState } = form
  if (loaded) {
    return (
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className={classes['noticeText'] ?? ''}>
          {texts.form.loadedKey(loaded.label)}
        </Text>
        <Button size="compact-sm" variant="default" onClick={onForget}>
          {texts.form.otherKey}
        </Button>
      </Stack>
    )
  }
  const choose = async (file: File | undefined) => {
    if (file && file.size <= MAX_KEY_BYTES) setValue('keyText', await file.text(), { shouldValidate: true })
  }
  return (
    <Stack gap="sm">
      <Textarea
        className={classes['keyText'] ?? ''}
        label={texts.form.keyText}
        description={texts.form.keyHint}
        rows={5}
        autoComplete="off"
        spellCheck={false}
        error={formState.errors.keyText?.message}
        {...register('keyText', { required: texts.form.keyRequired })}
      />
      <label className={classes['hint']}>
        {texts.form.keyFile} <input type="file" onChange={(event) => void choose(event.currentTarget.files?.[0])} />
      </label>
      <PasswordField
        label={texts.form.passphrase}
        description={texts.form.passphraseHint}
        autoComplete="off"
        error={formState.errors.passphrase?.message}
        {...register('passphrase')}
      />
    </Stack>
  )
}
