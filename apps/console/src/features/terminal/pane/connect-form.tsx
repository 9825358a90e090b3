// Sign-in form for a device: user name and credential.
import { PrivateKeyError } from '@bowline/ssh/keys/private-key'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useRuntime, useStore } from '../../../core/context.tsx'
import { createStore } from '../../../platform/store.ts'
import { Callout } from '../../../ui/feedback/callout.tsx'
import { Button, Stack, TextInput } from '../../../ui/kit.ts'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { rememberSshUser, useSshUser } from '../../../core/devices/ssh-user.ts'
import { keyCredential } from '../connection/credential.ts'
import type { ConnectFields } from './connect-fields.ts'
import { KeyFields } from './key-fields.tsx'
import { terminalMessages as texts } from '../messages.ts'
import type { Pane } from './pane.ts'
import classes from '../terminal.module.css'
import { workspaceOf } from '../workspace.ts'

const method = createStore<'password' | 'key'>('password')

interface ConnectFormProps {
  /** A pane, or several that one sign-in is for. */
  readonly pane: Pick<Pane, 'id' | 'device' | 'user' | 'access' | 'connect'>
  readonly wasRefused: boolean
  /** True when it should take the focus on mount: of several panes that mount together only one does. */
  readonly takesFocus: boolean
}

export function ConnectForm({ pane, wasRefused, takesFocus }: ConnectFormProps) {
  const remembered = useSshUser()
  const chosen = useStore(method)
  const loadedKey = workspaceOf(useRuntime()).key
  const key = useStore(loadedKey)
  const [isRefused, setRefused] = useState(wasRefused)
  const form = useForm<ConnectFields>({
    defaultValues: { username: pane.user() ?? remembered, password: '', keyText: '', passphrase: '' },
  })
  const { register, handleSubmit, formState, setError, setFocus } = form
  const { errors } = formState
  useEffect(() => {
    if (!takesFocus) return
    setFocus(wasRefused && chosen === 'password' ? 'password' : 'username', { shouldSelect: true })
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- only on mount
  }, [])

  const submit = handleSubmit(async ({ username, password, keyText, passphrase }) => {
    setRefused(false)
    rememberSshUser(username)
    if (chosen === 'password') return pane.connect({ username, credential: { kind: 'password', password } })
    try {
      const credential = key ?? (await keyCredential(keyText, passphrase))
      loadedKey.set(credential)
      pane.connect({ username, credential })
    } catch (error) {
      if (!(error instanceof PrivateKeyError)) throw error
      const isPassphrase = error.reason === 'passphrase-needed' || error.reason === 'wrong-passphrase'
      setError(isPassphrase ? 'passphrase' : 'keyText', { message: sentence(error.message) }, { shouldFocus: true })
    }
  })

  return (
    <div className={classes['form']}>
      <form noValidate className={classes['formInner']} onSubmit={submit}>
        <Stack gap="md">
          {isRefused ? (
            <Callout tone="warn" urgent>
              {chosen === 'key' ? texts.form.refusedKey : texts.form.refused}
            </Callout>
          ) : null}
          <TextInput
            label={texts.form.user}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            error={errors.username?.message}
            {...register('username', {
              required: texts.form.userRequired,
              pattern: { value: /^\S{1,256}$/, message: texts.form.userInvalid },
            })}
          />
          <fieldset className={classes['methods']}>
            <legend>{texts.form.method}</legend>
            {(['password', 'key'] as const).map((one) => (
              <label key={one}>
                <input
                  type="radio"
                  name={`method-${pane.id}`}
                  checked={chosen === one}
                  onChange={() => method.set(one)}
                />
                {texts.form[one]}
              </label>
            ))}
          </fieldset>
          {chosen === 'password' ? (
            <PasswordField
              label={texts.form.devicePassword}
              description={texts.form.passwordHint}
              autoComplete="off"
              error={errors.password?.message}
              {...register('password')}
            />
          ) : (
            <KeyFields form={form} loaded={key} onForget={() => loadedKey.set(undefined)} />
          )}
          <Button type="submit" fullWidth loading={formState.isSubmitting}>
            {texts.form.submit}
          </Button>
        </Stack>
      </form>
    </div>
  )
}

/** The texts in `@bowline/browser` start with their subject. */
function sentence(message: string): string {
  const text = message.replace(/^private key: /, '')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
