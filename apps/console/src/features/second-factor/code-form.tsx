// Asks for the code of an authenticator, or for a recovery code instead.
import { ApiError } from '@bowline/contract/client'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Group, Stack, TextInput } from '../../ui/kit.ts'
import { secondFactorMessages as texts } from './messages.ts'

export type TypedCode = { readonly code: string } | { readonly recovery_code: string }

interface CodeFormProps {
  /** True if the account has an authenticator app. */
  readonly code: boolean
  /** True if it has recovery codes. */
  readonly recoveryCode: boolean
  /** The verb on the submit button. */
  readonly submit: string
  /** Sentence above the form for failures other than a wrong code. */
  readonly failed: string
  /** Sends the code. A wrong one is shown at the field. */
  readonly send: (typed: TypedCode) => Promise<void>
  readonly onCancel?: () => void
}

const WRONG: readonly (string | undefined)[] = ['SECOND_FACTOR_WRONG', 'CODE_REFUSED']

/** Nothing for accounts without an authenticator app and without recovery codes. */
export function CodeForm({ code, recoveryCode, submit, failed, send, onCancel }: CodeFormProps) {
  const [isRecovery, setRecovery] = useState(!code)
  const [value, setValue] = useState('')
  const [error, setError] = useState<string>()
  const [failure, setFailure] = useState<unknown>()
  const [isSending, setSending] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  // Dialogs focus what they have when they open; the form may come later.
  useEffect(() => input.current?.focus(), [])

  const show = (message: string): void => {
    setError(message)
    input.current?.focus()
    input.current?.select()
  }
  const onSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    // The form may lie in a dialog of another form.
    event.stopPropagation()
    const typed = value.trim()
    setFailure(undefined)
    if (typed === '') return show(texts.codeRequired)
    if (isSending) return
    setError(undefined)
    setSending(true)
    try {
      await send(isRecovery ? { recovery_code: typed } : { code: typed })
    } catch (caught) {
      if (caught instanceof ApiError && WRONG.includes(caught.code)) show(texts.wrong)
      else if (caught instanceof ApiError && caught.status === 429) show(texts.tooMany(minutesOf(caught)))
      else setFailure(caught)
    } finally {
      setSending(false)
    }
  }
  const swap = (): void => {
    setRecovery(!isRecovery)
    setValue('')
    setError(undefined)
    input.current?.focus()
  }
  if (!code && !recoveryCode) return null
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)}>
      <Stack gap="md">
        {failure === undefined ? null : <ErrorPanel title={failed} error={failure} />}
        <TextInput
          ref={input}
          data-autofocus
          label={isRecovery ? texts.recoveryCode : texts.code}
          description={isRecovery ? texts.recoveryCodeHint : texts.codeHint}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          value={value}
          error={error}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
        <Group justify="space-between" gap="xs">
          {code && recoveryCode ? (
            <Button variant="subtle" onClick={swap}>
              {isRecovery ? texts.withAuthenticator : texts.withRecoveryCode}
            </Button>
          ) : null}
          <Group gap="xs">
            {onCancel ? (
              <Button variant="default" onClick={onCancel}>
                {texts.cancel}
              </Button>
            ) : null}
            <Button type="submit" loading={isSending}>
              {submit}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}

function minutesOf({ headers }: ApiError): number {
  return Math.max(1, Math.ceil(Number(headers.get('retry-after') ?? 60) / 60))
}
