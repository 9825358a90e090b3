// Passkeys that derive a secret (WebAuthn level 3, extension prf): the same secret for the same input, only on this
// authenticator and after it has verified its person. They belong to the vault alone: the server does not know them.
import { fromBase64url, toBase64url } from '@bowline/ssh/keys/jwk'
import { ceremony, loaded } from '../passkeys/browser.ts'
import { randomBytes } from './store/sealing.ts'
import { VaultError } from './store/vault-error.ts'

const TIMEOUT_MS = 120_000
/** Ed25519, ECDSA on P-256, RSA: what WebAuthn recommends to accept. */
const ALGORITHMS = [-8, -7, -257]

const rpId = (): string => location.hostname
const prf = (salt: Uint8Array<ArrayBuffer>) => ({ prf: { eval: { first: salt } } })

/**
 * Creates a passkey that derives a secret.
 * @param person name shown by the authenticator
 * @param salt 32 bytes, the input that the secret is derived from
 * @throws {PasskeyFailure} cancelled or refused; {VaultError} `no-secret`
 */
export async function createSecretPasskey(
  person: string,
  salt: Uint8Array<ArrayBuffer>,
): Promise<{ readonly credential: Uint8Array<ArrayBuffer>; readonly secret: Uint8Array<ArrayBuffer> }> {
  const { startRegistration } = await loaded()
  const name = `${person} (keys in the browser)`
  const created = await ceremony(rpId(), TIMEOUT_MS, () =>
    startRegistration({
      optionsJSON: {
        rp: { id: rpId(), name: 'Bowline' },
        // An id of its own: with the account's, it would replace the passkey that signs in.
        user: { id: toBase64url(randomBytes(32)), name, displayName: name },
        challenge: toBase64url(randomBytes(32)),
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
        timeout: TIMEOUT_MS,
        // An authenticator that has the choice does not offer this one for signing in.
        authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
        extensions: prf(salt),
      },
    }),
  )
  if (created.clientExtensionResults.prf?.enabled !== true) throw new VaultError('no-secret')
  const credential = fromBase64url(created.rawId)
  return { credential, secret: secretIn(created) ?? (await askForSecret(credential, salt)) }
}

/**
 * Asks the passkey for its secret.
 * @throws {PasskeyFailure} cancelled, or the passkey is not here; {VaultError} `no-secret`
 */
export async function askForSecret(
  credential: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { startAuthentication } = await loaded()
  const answered = await ceremony(rpId(), TIMEOUT_MS, () =>
    startAuthentication({
      optionsJSON: {
        rpId: rpId(),
        challenge: toBase64url(randomBytes(32)),
        allowCredentials: [{ id: toBase64url(credential), type: 'public-key' }],
        timeout: TIMEOUT_MS,
        userVerification: 'required',
        extensions: prf(salt),
      },
    }),
  )
  const secret = secretIn(answered)
  if (!secret) throw new VaultError('no-secret')
  return secret
}

interface Answer {
  readonly clientExtensionResults: { readonly prf?: { readonly results?: { readonly first?: unknown } } }
}

function secretIn({ clientExtensionResults }: Answer): Uint8Array<ArrayBuffer> | undefined {
  const first = clientExtensionResults.prf?.results?.first
  return first instanceof ArrayBuffer ? new Uint8Array(first) : undefined
}
