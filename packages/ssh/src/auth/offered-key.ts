// Verification of a publickey request, before any decision: algorithm, key, certificate, host binding, signature.
import { timingSafeEqual } from 'node:crypto'
import type { OfferedKey, UserCertificate } from '../api.ts'
import { parseCertificate, plainNameOf } from '../keys/certificate.ts'
import type { Certificate } from '../keys/certificate.ts'
import { encodePublicKey } from '../keys/key-blob.ts'
import { parsePublicKey } from '../keys/public-key.ts'
import type { PublicKey } from '../keys/public-key.ts'
import { SIGNATURE_ALGORITHMS, keyTypeOf, verifySignature } from '../keys/signature.ts'
import { WireError, WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import type { PublicKeyRequest } from './request.ts'
import { sourceAllowed } from './source-address.ts'

export interface ProofContext {
  readonly sessionId: Uint8Array
  /** Wire encoding of the host key used in the first key exchange. */
  readonly hostKey: Uint8Array
  /** Certificate authorities that are trusted for users, wire-encoded. */
  readonly certificateAuthorities: readonly Uint8Array[]
  readonly peerAddress: string
  epochSeconds(): number
}

export interface CheckedKey {
  readonly offered: OfferedKey
  /** A signature was present and valid. */
  readonly proven: boolean
}

interface Offer {
  /** The key that must have made the signature. */
  readonly key: PublicKey
  readonly certificate: Certificate | undefined
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Whether a trusted authority signed the certificate and it is valid now and for this address. */
function isCertificateValid(certificate: Certificate, context: ProofContext): boolean {
  const { authority, signedPart, signature, validAfter, validBefore, options } = certificate
  if (!context.certificateAuthorities.some((known) => sameBytes(known, authority))) return false
  const now = BigInt(context.epochSeconds())
  if (now < validAfter || now >= validBefore) return false
  if (options.sourceAddress !== undefined && !sourceAllowed(options.sourceAddress, context.peerAddress)) return false
  const algorithm = new WireReader(signature).text('signature algorithm', 64)
  if (!SIGNATURE_ALGORITHMS.includes(algorithm)) return false
  return verifySignature({ key: parsePublicKey(authority), algorithm, message: signedPart, signature })
}

/** The key or certificate of a request; undefined when it is not acceptable. */
function readOffer(blob: Uint8Array, isCertificate: boolean, context: ProofContext): Offer | undefined {
  try {
    if (!isCertificate) return { key: parsePublicKey(blob), certificate: undefined }
    const certificate = parseCertificate(blob)
    return isCertificateValid(certificate, context) ? { key: certificate.key, certificate } : undefined
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}

function userCertificate(certificate: Certificate): UserCertificate {
  const { keyId, serial, principals, authority, validAfter, validBefore, options, extensions } = certificate
  const { forceCommand, sourceAddress } = options
  return {
    keyId,
    serial,
    principals,
    caBlob: Uint8Array.from(authority),
    validAfter,
    validBefore,
    extensions,
    ...(forceCommand === undefined ? {} : { forceCommand }),
    ...(sourceAddress === undefined ? {} : { sourceAddress }),
  }
}

/**
 * Verifies a request as far as possible without the embedding program.
 * @returns undefined when the key is not acceptable or its signature is invalid: the request fails without a decision
 */
export function checkOffer(request: PublicKeyRequest, context: ProofContext): CheckedKey | undefined {
  const { blob, boundHostKey, signature, signedPart } = request
  if (boundHostKey && !sameBytes(boundHostKey, context.hostKey)) return undefined
  const certified = plainNameOf(request.algorithm)
  const algorithm = certified ?? request.algorithm
  const offer = readOffer(blob, certified !== undefined, context)
  if (!offer || keyTypeOf(algorithm) !== offer.key.type) return undefined
  const { key, certificate } = offer
  const offered: OfferedKey = {
    type: key.type,
    algorithm,
    blob: encodePublicKey(key),
    ...(certificate ? { certificate: userCertificate(certificate) } : {}),
  }
  if (!signature) return { offered, proven: false }
  const message = new WireWriter(1_024).string(context.sessionId).bytes(signedPart).done()
  const userVerificationRequired = certificate?.options.verifyRequired ?? false
  const proof = { key, algorithm, message, signature }
  if (!verifySignature({ ...proof, userVerificationRequired })) return undefined
  const userVerified = verifySignature({ ...proof, userVerificationRequired: true })
  return { offered: { ...offered, userVerified }, proven: true }
}
