// The browser's side of passkeys. The library is loaded when a passkey is used first.
import type {
  AcceptedCredentials,
  CreationOptions,
  NewCredential,
  RequestOptions,
  SignedChallenge,
} from '@bowline/contract/schemas/passkey'
import { PasskeyFailure, describeCeremony, isAborted } from './failure.ts'
import { passkeyMessages as texts } from './messages.ts'

type Library = typeof import('@simplewebauthn/browser')

let present: Library | undefined

async function library(): Promise<Library> {
  present = await import('@simplewebauthn/browser')
  return present
}

/** True if this browser has passkeys. Outside of https and localhost it has none. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function'
}

/** True if this browser offers passkeys among the suggestions of a username field. */
export async function hasAutofill(): Promise<boolean> {
  if (!hasPasskeys() || typeof PublicKeyCredential.isConditionalMediationAvailable !== 'function') return false
  return PublicKeyCredential.isConditionalMediationAvailable().catch(() => false)
}

/** Asks the browser for a new passkey. @throws {PasskeyFailure} */
export async function createPasskey(options: CreationOptions): Promise<NewCredential> {
  const { startRegistration } = await loaded()
  const { id, rawId, response } = await ceremony(options.rp.id, options.timeout, () =>
    startRegistration({ optionsJSON: options }),
  )
  const { clientDataJSON, attestationObject, transports = [] } = response
  return { id, rawId, type: 'public-key', response: { clientDataJSON, attestationObject, transports } }
}

/**
 * Asks the browser for a signature by a passkey. A dialog that is open already closes.
 * @param options.autofill waits until the person picks a passkey among the suggestions of a field. Once it is aborted
 *   nothing is asked: the request of another ceremony would be ended by that
 * @throws {PasskeyFailure}; what {@link isAborted} recognises when another call or {@link cancelPasskeys} ended it
 */
export async function askForPasskey(
  options: RequestOptions,
  { autofill }: { readonly autofill?: AbortSignal } = {},
): Promise<SignedChallenge> {
  const { startAuthentication } = await loaded()
  autofill?.throwIfAborted()
  const { id, rawId, response } = await ceremony(options.rpId, options.timeout, () =>
    startAuthentication({ optionsJSON: options, useBrowserAutofill: autofill !== undefined }),
  )
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return { id, rawId, type: 'public-key', response: { clientDataJSON, authenticatorData, signature, userHandle } }
}

/** Aborts the current ceremony, if any. Synchronous: a late call could abort the ceremony that comes next. */
export function cancelPasskeys(): void {
  present?.WebAuthnAbortService.cancelCeremony()
}

/** Lets the browser forget removed passkeys, where it can. */
export async function forgetRemoved(accepted: AcceptedCredentials): Promise<void> {
  if (!hasPasskeys() || accepted.rpId === '' || !('signalAllAcceptedCredentials' in PublicKeyCredential)) return
  const { sendSignal } = await library()
  const { rpId: rpID, userId: userID, allAcceptedCredentialIds: allAcceptedCredentialIDs } = accepted
  const signal = { signalName: 'allAcceptedCredentials', rpID, userID, allAcceptedCredentialIDs } as const
  // A browser that does not follow shows the passkey once more, and the server refuses it.
  await sendSignal(signal).catch(() => undefined)
}

/** The library, for ceremonies of other features. @throws {PasskeyFailure} without passkeys */
export function loaded(): Promise<Library> {
  if (!hasPasskeys()) throw new PasskeyFailure(texts.unsupported, undefined)
  return library()
}

/** Runs a dialog of the browser. @param timeout milliseconds. @throws {PasskeyFailure} */
export async function ceremony<T>(rpId: string, timeout: number, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await work()
  } catch (error) {
    if (isAborted(error)) throw error
    throw describeCeremony(error, { rpId, timeout, elapsed: performance.now() - began })
  }
}
