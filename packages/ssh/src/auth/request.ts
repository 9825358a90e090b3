// Parses SSH_MSG_USERAUTH_REQUEST (RFC 4252 section 5) into a typed value. Makes no decisions.
import { protocolFault } from '../fault.ts'
import { WireReader } from '../wire/reader.ts'

/** Longest user name, in bytes of UTF-8. */
const USER_BYTES = 512
const NAME_BYTES = 64
const PASSWORD_BYTES = 4_096
const BLOB_BYTES = 16_384

export interface PublicKeyRequest {
  readonly method: 'publickey'
  readonly algorithm: string
  readonly blob: Uint8Array
  /** The server key the client bound its signature to (OpenSSH's `publickey-hostbound-v00@openssh.com`). */
  readonly boundHostKey: Uint8Array | undefined
  readonly signature: Uint8Array | undefined
  /** The bytes of the request that the signature covers, after the session identifier. */
  readonly signedPart: Uint8Array
}

export type MethodRequest =
  | { readonly method: 'none' }
  | { readonly method: 'password'; readonly password: Uint8Array }
  | PublicKeyRequest
  | { readonly method: 'keyboard-interactive' }
  | { readonly method: 'unsupported' }

export interface AuthRequest {
  readonly user: string
  readonly request: MethodRequest
}

function readPublicKey(payload: Uint8Array, reader: WireReader, hostBound: boolean): PublicKeyRequest {
  const signed = reader.boolean('has signature')
  const algorithm = reader.text('algorithm', NAME_BYTES)
  const blob = reader.string('public key', BLOB_BYTES)
  const boundHostKey = hostBound ? reader.string('server host key', BLOB_BYTES) : undefined
  const signedPart = payload.subarray(0, payload.length - reader.remaining)
  const signature = signed ? reader.string('signature', BLOB_BYTES) : undefined
  reader.end('publickey request')
  return { method: 'publickey', algorithm, blob, boundHostKey, signature, signedPart }
}

function readMethod(method: string, payload: Uint8Array, reader: WireReader): MethodRequest {
  switch (method) {
    case 'none':
      return { method }
    case 'password': {
      const change = reader.boolean('change password')
      const password = reader.string('password', PASSWORD_BYTES)
      // Password changes are not supported; the request fails like any other.
      if (change) return { method: 'unsupported' }
      reader.end('password request')
      return { method, password }
    }
    case 'publickey':
      return readPublicKey(payload, reader, false)
    case 'publickey-hostbound-v00@openssh.com':
      return readPublicKey(payload, reader, true)
    case 'keyboard-interactive':
      reader.string('language', NAME_BYTES)
      reader.string('submethods', 1_024)
      return { method }
    default:
      return { method: 'unsupported' }
  }
}

/**
 * @param payload starting with the message number
 * @throws {WireError} when it is malformed
 * @throws {Fault} `unknown-service` when it requests anything but `ssh-connection`
 */
export function parseAuthRequest(payload: Uint8Array): AuthRequest {
  const reader = new WireReader(payload, 1)
  const user = reader.text('user name', USER_BYTES)
  if (reader.text('service', NAME_BYTES) !== 'ssh-connection') {
    throw protocolFault('unknown-service', 'Only the service ssh-connection is offered.')
  }
  return { user, request: readMethod(reader.text('method', NAME_BYTES), payload, reader) }
}
