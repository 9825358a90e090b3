// A software authenticator: what a browser with a passkey sends, and what a forger would. Attestation is "none".
import { type KeyObject, createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { CreationOptions, NewCredential, RequestOptions, SignedChallenge } from '@bowline/contract/schemas/passkey'
import { isoCBOR } from '@simplewebauthn/server/helpers'

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

/** Departures from what an honest browser and authenticator do. */
export interface Departures {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  /** Default: true. */
  readonly userVerified?: boolean
  readonly signCount?: number
  /** Format of the attestation, with its statement. */
  readonly attestation?: { readonly fmt: string; readonly attStmt: Map<string, unknown> }
  /** Null: none is sent. */
  readonly userHandle?: string | null
}

const FLAGS = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40 }
const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const base64url = (data: string | Buffer): string => Buffer.from(data).toString('base64url')

export class SoftwareAuthenticator {
  readonly id = randomBytes(32)
  readonly #algorithm: Algorithm
  readonly #privateKey: KeyObject
  readonly #coseKey: Map<number, number | Uint8Array>
  readonly #isBackedUp: boolean
  #origin: string
  #userHandle = ''
  /** Stays at 0 for backed-up keys, as with password managers. */
  #signCount = 0

  /** @param origin of the page that asks */
  constructor(
    origin: string,
    { algorithm = 'ES256', isBackedUp = false }: { algorithm?: Algorithm; isBackedUp?: boolean } = {},
  ) {
    this.#origin = origin
    this.#algorithm = algorithm
    this.#isBackedUp = isBackedUp
    const { privateKey, coseKey } = makeKey(algorithm)
    this.#privateKey = privateKey
    this.#coseKey = coseKey
  }

  /** Credential id, base64url. */
  get credentialId(): string {
    return base64url(this.id)
  }

  create(options: CreationOptions, but: Departures = {}): NewCredential {
    this.#userHandle = options.user.id
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const key = Buffer.from(isoCBOR.encode(this.#coseKey))
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, key])
    const authData = this.#authData(but.rpId ?? options.rp.id, FLAGS.at, but, attested)
    const { fmt, attStmt } = but.attestation ?? { fmt: 'none', attStmt: new Map() }
    const object = new Map<string, unknown>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', new Uint8Array(authData)],
    ])
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: 'public-key',
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, but),
        attestationObject: base64url(Buffer.from(isoCBOR.encode(object as never))),
        transports: ['internal'],
      },
    }
  }

  get(options: RequestOptions, but: Departures = {}): SignedChallenge {
    if (!this.#isBackedUp) this.#signCount += 1
    const authData = this.#authData(but.rpId ?? options.rpId, 0, but)
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, but)
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    const signature = sign(this.#algorithm === 'EdDSA' ? null : 'sha256', signed, this.#privateKey)
    const userHandle = but.userHandle === undefined ? this.#userHandle : but.userHandle
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: 'public-key',
      response: {
        clientDataJSON,
        authenticatorData: base64url(authData),
        signature: base64url(signature),
        ...(userHandle === null ? {} : { userHandle }),
      },
    }
  }

  #clientData(type: string, challenge: string, but: Departures): string {
    const { origin = this.#origin } = but
    return base64url(
      JSON.stringify({ type: but.type ?? type, challenge: but.challenge ?? challenge, origin, crossOrigin: false }),
    )
  }

  #authData(rpId: string, more: number, but: Departures, attested: Buffer = Buffer.alloc(0)): Buffer {
    const backup = this.#isBackedUp ? FLAGS.be | FLAGS.bs : 0
    const verified = (but.userVerified ?? true) ? FLAGS.uv : 0
    const tail = Buffer.alloc(5)
    tail.writeUInt8(FLAGS.up | verified | backup | more)
    tail.writeUInt32BE(but.signCount ?? this.#signCount, 1)
    return Buffer.concat([sha256(rpId), tail, attested])
  }
}

/** Key pair, with the public half as COSE has it (RFC 9053). */
function makeKey(algorithm: Algorithm): { privateKey: KeyObject; coseKey: Map<number, number | Uint8Array> } {
  const part = (text: string | undefined): Uint8Array => new Uint8Array(Buffer.from(text ?? '', 'base64url'))
  if (algorithm === 'EdDSA') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const { x } = publicKey.export({ format: 'jwk' })
    return {
      privateKey,
      coseKey: new Map<number, number | Uint8Array>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, part(x)],
      ]),
    }
  }
  if (algorithm === 'RS256') {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const { n, e } = publicKey.export({ format: 'jwk' })
    return {
      privateKey,
      coseKey: new Map<number, number | Uint8Array>([
        [1, 3],
        [3, -257],
        [-1, part(n)],
        [-2, part(e)],
      ]),
    }
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const coseKey = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, part(x)],
    [-3, part(y)],
  ])
  return { privateKey, coseKey }
}
