// The two ceremonies of WebAuthn: reads what a browser sends, and verifies it. Whatever is wrong with it, the answer is
// undefined; the reason goes to the log of the caller and to nobody else.
import { generateKeyPairSync } from 'node:crypto'
import type { NewCredential, SignedChallenge } from '@bowline/contract/schemas/passkey'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { RelyingParty } from './relying-party.ts'

/** COSE numbers (RFC 9053, RFC 8812) in order of preference: Ed25519, ECDSA on P-256, RSA for Windows Hello. */
export const ALGORITHMS: readonly number[] = [-8, -7, -257]

const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
const NOBODYS_POINT = { x, y }

/** Hundreds of modules, which most starts of the server and nearly all commands need not load. */
const library = async () => ({
  ...(await import('@simplewebauthn/server')),
  ...(await import('@simplewebauthn/server/helpers')),
})

/** Result of a ceremony; `reason` is for the log and may quote input. */
export type Verdict<T> = { readonly value: T } | { readonly reason: string }

export interface VerifiedCredential {
  readonly id: Buffer
  readonly publicKey: Buffer
  readonly signCount: number
  readonly transports: readonly string[]
  readonly aaguid: string
  readonly multiDevice: boolean
  readonly backedUp: boolean
}

/** Challenge that a browser says was signed; '' when it is unreadable. It is checked, and then compared again. */
export function challengeIn(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

/** Verifies a new credential, whose authenticator must have verified its user. */
export async function verifyNew(
  { id, origin }: RelyingParty,
  challenge: string,
  { response, ...credential }: NewCredential,
): Promise<Verdict<VerifiedCredential>> {
  try {
    const { decodeAttestationObject, verifyRegistrationResponse } = await library()
    // The options ask for no attestation. Certificates in one would make the library fetch their revocation lists from
    // addresses that the caller chooses.
    const statement = decodeAttestationObject(Buffer.from(response.attestationObject, 'base64url'))
    const format = statement.get('fmt')
    const isOwn = format === 'packed' && statement.get('attStmt').get('x5c') === undefined
    if (format !== 'none' && !isOwn) return { reason: `attestation ${format}` }
    const { transports = [], ...rest } = response
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: { ...credential, response: rest, clientExtensionResults: {} } satisfies RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...ALGORITHMS],
    })
    if (!verified) return { reason: 'the attestation is wrong' }
    const { credential: made, credentialDeviceType, credentialBackedUp, aaguid } = info
    if (made.id !== credential.id) return { reason: 'the id is not that of the attested credential' }
    const value = {
      id: Buffer.from(made.id, 'base64url'),
      publicKey: Buffer.from(made.publicKey),
      signCount: made.counter,
      transports,
      aaguid,
      multiDevice: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
    }
    return { value }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

export interface Use {
  readonly signCount: number
  readonly backedUp: boolean
}

/**
 * Verifies a signed challenge.
 * @param publicKey COSE key of the passkey; undefined for an unknown one: the same work is done, and fails
 * @param needsUser refuses authenticators that have not verified their user
 */
export async function verifySigned(
  { id, origin }: RelyingParty,
  challenge: string,
  { response, ...credential }: SignedChallenge,
  { publicKey, needsUser }: { readonly publicKey: Buffer | undefined; readonly needsUser: boolean },
): Promise<Verdict<Use>> {
  try {
    const { userHandle: _, ...rest } = response
    const { verifyAuthenticationResponse } = await library()
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { ...credential, response: rest, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: needsUser,
      // The library refuses a counter that does not grow; here it is a hint (noteCounter in use.ts).
      credential: { id: credential.id, publicKey: new Uint8Array(publicKey ?? (await nobodysKey())), counter: 0 },
    })
    if (publicKey === undefined) return { reason: 'the passkey is unknown' }
    if (!verified) return { reason: 'the signature is wrong' }
    return { value: { signCount: info.newCounter, backedUp: info.credentialBackedUp } }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200)
}

/** COSE key whose private half nobody has. */
async function nobodysKey(): Promise<Buffer> {
  const { cose, isoCBOR } = await library()
  const key = new Map<number, number | Uint8Array>([
    [cose.COSEKEYS.kty, cose.COSEKTY.EC2],
    [cose.COSEKEYS.alg, cose.COSEALG.ES256],
    [cose.COSEKEYS.crv, cose.COSECRV.P256],
    [cose.COSEKEYS.x, Buffer.from(NOBODYS_POINT.x, 'base64url')],
    [cose.COSEKEYS.y, Buffer.from(NOBODYS_POINT.y, 'base64url')],
  ])
  return Buffer.from(isoCBOR.encode(key))
}
