// Passkeys among the suggestions of the username field (`autocomplete="username webauthn"`).
import { LIMITS } from '@bowline/contract/limits'
import { useEffect, useRef } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { askForPasskey, cancelPasskeys, hasAutofill } from './browser.ts'
import { finishSignIn, signInOptions } from './sign-in.ts'

/** The challenge is replaced this long before it expires. */
const EARLY_MS = 30_000
const RENEWAL_MS = LIMITS.passkeyChallengeMinutes * 60_000 - EARLY_MS

interface Autofill {
  /** False while another ceremony runs, and where the server has no passkeys. */
  readonly enabled: boolean
  readonly onFailure: (error: unknown) => void
}

/** Offers passkeys while the page is shown; leaving the page, or another ceremony, ends it. */
export function useAutofill({ enabled, onFailure }: Autofill): void {
  const runtime = useRuntime()
  const report = useRef(onFailure)
  useEffect(() => {
    report.current = onFailure
  })
  useEffect(() => {
    if (!enabled) return undefined
    const over = new AbortController()
    const { signal: autofill } = over
    const chosen = async () => {
      if (!(await hasAutofill()) || autofill.aborted) return undefined
      return askForPasskey(await signInOptions(runtime), { autofill })
    }
    const offer = async (): Promise<void> => {
      // Nobody has asked for a passkey yet: failures before the person's choice are not worth a message.
      const credential = await chosen().catch(() => undefined)
      if (credential === undefined || autofill.aborted) return
      await finishSignIn(runtime, credential).catch((error: unknown) => {
        if (autofill.aborted) return
        report.current(error)
        void offer()
      })
    }
    void offer()
    const renewal = setInterval(() => void offer(), RENEWAL_MS)
    return () => {
      over.abort()
      clearInterval(renewal)
      cancelPasskeys()
    }
  }, [enabled, runtime])
}
