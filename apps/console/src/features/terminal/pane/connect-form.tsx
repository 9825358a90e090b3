// Sign-in form for a device: user name and credential.
import { PrivateKeyError } from '@bowline/ssh/keys/private-key'
import { Link } from '@tanstack/react-router'
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
import type { PaneState, SignInTarget } from './pane-session.ts'
import { VaultKeyField } from './vault-key-field.tsx'
import classes from '../terminal.module.css'
import { workspaceOf } from '../workspace.ts'
import { connectByVault } from '../vault-sign-in.ts'
import { UnlockForm } from '../../vault/unlock-form.tsx'
import type { VaultState } from '../../vault/vault-state.ts'
import { vaultOf } from '../../vault/vault.ts'

const method = createStore<'password' | 'key'>('password')

interface ConnectFormProps {
  readonly pane: SignInTarget
  readonly state: PaneState
  /** Asks for the vault to be unlocked, and connects by it; absent: the form asks, and offers its keys. */
  readonly onUnlock?: () => void
  /** True when it should take the focus on mount: of several panes that mount together only one does. */
  readonly takesFocus: boolean
  /** The verb on the button. */
  readonly action?: string
  /** In a dialog: as wide as it, where a pane has the fields in its middle. */
  readonly fills?: boolean
}

export function ConnectForm({
  pane,
  state,
  onUnlock,
  takesFocus,
  action = texts.form.submit,
  fills = false,
}: ConnectFormProps) {
  const wasRefused = state.kind === 'refused'
  const remembered = useSshUser()
  const chosen = useStore(method)
  const runtime = useRuntime()
  const loadedKey = workspaceOf(runtime).key
  const vault = vaultOf(runtime)
  const stored = useStore(vault.state)
  const key = useStore(loadedKey)
  const [isRefused, setRefused] = useState(wasRefused)
  const earlier = pane.access()
  const refused = wasRefused && earlier?.credential.kind === 'key' ? earlier.credential : undefined
  const form = useForm<ConnectFields>({
    defaultValues: {
      username: pane.user() ?? earlier?.username ?? vault.lastUse(pane.device.uid)?.username ?? remembered,
      password: '',
      keyText: '',
      passphrase: '',
    },
  })
  const { register, handleSubmit, formState, setError, setFocus } = form
  const [picked, setPicked] = useState(refused?.vaultKey)
  // '': the one in the fields.
  const vaultKey = stored.kind === 'unlocked' ? (picked ?? firstKey(stored)) : ''
  const { errors } = formState
  const [isUnlocking, setUnlocking] = useState(false)
  useEffect(() => void vault.ready(), [vault])
  useEffect(() => {
    if (refused) method.set('key')
    if (!takesFocus) return
    setFocus(wasRefused && chosen === 'password' ? 'password' : 'username', { shouldSelect: true })
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- only on mount
  }, [])

  const submit = handleSubmit(async ({ username, password, keyText, passphrase }) => {
    setRefused(false)
    rememberSshUser(username)
    if (chosen === 'password') return pane.connect({ username, credential: { kind: 'password', password } })
    if (vaultKey !== '') return connectByVault(vault, pane, vaultKey, username)
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

  if (isUnlocking && stored.kind === 'locked') {
    return (
      <div className={classes['form']} data-fills={fills || undefined}>
        <Stack gap="md" className={classes['formInner'] ?? ''}>
          <UnlockForm ways={stored.header.ways} takesFocus onUnlocked={() => setUnlocking(false)} />
          <Button variant="subtle" onClick={() => setUnlocking(false)}>
            {texts.vault.otherWay}
          </Button>
        </Stack>
      </div>
    )
  }
  return (
    <div className={classes['form']} data-fills={fills || undefined}>
      <form noValidate className={classes['formInner']} onSubmit={submit}>
        <Stack gap="md">
          {isRefused ? (
            <Callout tone="warn" urgent>
              {refused ? texts.form.refusedKey : texts.form.refused}
            </Callout>
          ) : null}
          {state.kind === 'form' && state.notice !== undefined ? (
            <Callout tone="note" urgent>
              {state.notice} {state.offersKeys ? <Link to="/profile/keys">{texts.vault.register}</Link> : null}
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
            <>
              <VaultKeyField
                onUnlock={onUnlock ?? (() => setUnlocking(true))}
                state={stored}
                value={vaultKey}
                onChange={setPicked}
              />
              {vaultKey === '' ? (
                <KeyFields form={form} loaded={key} onForget={() => loadedKey.set(undefined)} />
              ) : null}
            </>
          )}
          <Button type="submit" fullWidth loading={formState.isSubmitting}>
            {action}
          </Button>
        </Stack>
      </form>
    </div>
  )
}

function firstKey(stored: VaultState): string {
  return 'keys' in stored ? (stored.keys.find(({ fault }) => fault === undefined)?.id ?? '') : ''
}

/** The texts in `@bowline/browser` start with their subject. */
function sentence(message: string): string {
  const text = message.replace(/^private key: /, '')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
