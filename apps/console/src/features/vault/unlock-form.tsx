// Unlocks the vault: by its passphrase, by a passkey.
import { useEffect, useRef, useState } from 'react'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { announce } from '../../ui/feedback/announce.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Stack } from '../../ui/kit.ts'
import { hasPasskeys } from '../passkeys/browser.ts'
import { isAborted } from '../passkeys/failure.ts'
import { proofFault } from './key-form.tsx'
import { vaultMessages as texts } from './messages.ts'
import type { Way } from './store/records.ts'
import { vaultOf } from './vault.ts'
import type { Proof } from './ways.ts'

const Passphrase = z.object({ passphrase: z.string().min(1, texts.required).max(1_024) })

interface UnlockFormProps {
  readonly ways: readonly Way[]
  /** It takes the focus on mount, also where it is in a dialog. */
  readonly takesFocus?: boolean
  readonly onUnlocked?: () => void
}

export function UnlockForm({ ways, takesFocus = false, onUnlocked }: UnlockFormProps) {
  const vault = vaultOf(useRuntime())
  const [failure, setFailure] = useState<string>()
  const firstPasskey = useRef<HTMLButtonElement>(null)
  const [isWaiting, setWaiting] = useState(false)
  const passphrase = ways.find((way) => way.kind === 'passphrase')
  const passkeys = ways.filter((way) => way.kind === 'passkey')

  const unlock = async (proof: Proof) => {
    setFailure(undefined)
    await vault.unlock(proof)
    announce(texts.announceUnlocked)
    onUnlocked?.()
  }
  const form = useContractForm({
    losable: true,
    schema: Passphrase,
    values: { passphrase: '' },
    labels: texts.labels,
    async send(values) {
      if (!passphrase) return
      try {
        await unlock({ way: passphrase, passphrase: values.passphrase })
      } catch (error) {
        const fault = proofFault(error)
        if (!fault) return setFailure(error instanceof Error ? error.message : String(error))
        form.form.setError(fault.field, { message: fault.message }, { shouldFocus: true })
      }
    },
  })
  useEffect(() => {
    if (!takesFocus) return
    if (passphrase) form.form.setFocus('passphrase')
    else firstPasskey.current?.focus()
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- only on mount
  }, [])
  const ask = async (way: Way) => {
    if (way.kind !== 'passkey') return
    setWaiting(true)
    try {
      await unlock({ way })
    } catch (error) {
      if (!isAborted(error)) setFailure(error instanceof Error ? error.message : String(error))
    } finally {
      setWaiting(false)
    }
  }
  return (
    <Stack gap="sm">
      {failure === undefined ? null : (
        <Callout tone="warn" urgent>
          {failure}
        </Callout>
      )}
      {passphrase ? (
        <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
          <Stack gap="sm">
            <PasswordField {...form.field('passphrase')} autoComplete="off" data-autofocus={takesFocus || undefined} />
            <Button type="submit" loading={form.form.formState.isSubmitting}>
              {texts.unlock}
            </Button>
          </Stack>
        </form>
      ) : null}
      {passkeys.map((way, index) => (
        <Button
          key={way.id}
          variant="default"
          disabled={!hasPasskeys()}
          loading={isWaiting}
          ref={index === 0 ? firstPasskey : undefined}
          data-autofocus={(takesFocus && index === 0 && !passphrase) || undefined}
          onClick={() => void ask(way)}
        >
          {passkeys.length === 1 ? texts.unlockPasskey : texts.unlockNamed(way.name)}
        </Button>
      ))}
    </Stack>
  )
}
