// Failures of the browser's passkey dialogs, in words.
import { passkeyMessages as texts } from './messages.ts'

/** A ceremony that the browser, the authenticator or the person ended; `message` is for people. */
export class PasskeyFailure extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'PasskeyFailure'
  }
}

/** Ended by the console itself: another ceremony began, or the page was left. There is nothing to show. */
export function isAborted(error: unknown): boolean {
  return namesOf(error).includes('AbortError') || codeOf(error) === 'ERROR_CEREMONY_ABORTED'
}

interface Ceremony {
  /** Relying party of the options. */
  readonly rpId: string
  /** Time that the options allow and that has passed, in milliseconds. */
  readonly timeout: number
  readonly elapsed: number
}

/** The failure of a ceremony, for people. */
export function describeCeremony(error: unknown, { rpId, timeout, elapsed }: Ceremony): PasskeyFailure {
  const names = namesOf(error)
  const code = codeOf(error)
  const text = (): string => {
    if (names.includes('SecurityError') || code === 'ERROR_INVALID_RP_ID') return texts.wrongAddress(rpId)
    if (names.includes('InvalidStateError')) return texts.registered
    if (names.includes('ConstraintError') || names.includes('NotSupportedError')) return texts.notSuitable
    // Browsers hide whether the person cancelled or the time was up; the clock tells.
    if (names.includes('NotAllowedError')) return elapsed >= timeout ? texts.timedOut : texts.cancelled
    return texts.unknown
  }
  return new PasskeyFailure(text(), error)
}

/** Names of an error and its causes: the library wraps those of the browser. */
function namesOf(error: unknown): string[] {
  return error instanceof Error ? [error.name, ...namesOf(error.cause)] : []
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
