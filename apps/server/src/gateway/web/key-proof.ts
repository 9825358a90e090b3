// Proof that a browser holds a private key: a signature in the format of OpenSSH's PROTOCOL.sshsig, which no SSH server
// accepts for a login. So a malicious server cannot use the signature anywhere else.
import type { OfferedKey } from '@bowline/ssh/api'
import { parsePublicKey } from '@bowline/ssh/keys/public-key'
import { verifySignature } from '@bowline/ssh/keys/signature'
import { sshsigMessage } from '@bowline/ssh/keys/sshsig'
import { WireError } from '@bowline/ssh/wire/reader'
import { LOGIN_SIGNATURE_NAMESPACE, loginText } from '@bowline/contract/terminal/messages'

/** Key and signature from the browser, in SSH wire encoding. */
export interface KeyProof {
  readonly key: Uint8Array
  readonly algorithm: string
  readonly signature: Uint8Array
}

/**
 * @param of fields that the signature must cover
 * @returns the key, or undefined when it is not acceptable or the signature is wrong
 */
export async function provenKey(
  { key: blob, algorithm, signature }: KeyProof,
  of: Parameters<typeof loginText>[0],
): Promise<OfferedKey | undefined> {
  try {
    const key = parsePublicKey(blob)
    const message = await sshsigMessage(LOGIN_SIGNATURE_NAMESPACE, Buffer.from(loginText(of)))
    return verifySignature({ key, algorithm, message, signature }) ? { type: key.type, algorithm, blob } : undefined
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}
