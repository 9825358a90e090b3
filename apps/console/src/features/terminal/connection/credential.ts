// Credentials for signing in on a device. Private keys never leave the browser: they sign a statement bound to this
// page, session, device and account, which is useless anywhere else.
import { LOGIN_SIGNATURE_NAMESPACE, loginText } from '@bowline/contract/terminal/messages'
import { sha256Fingerprint } from '@bowline/ssh/keys/fingerprint'
import { encodePublicKey } from '@bowline/ssh/keys/key-blob'
import { readPrivateKey } from '@bowline/ssh/keys/read-private-key'
import { sshsigMessage } from '@bowline/ssh/keys/sshsig'
import { type Signer, createSigner } from '@bowline/ssh/keys/web-signature'

export interface KeyCredential {
  readonly kind: 'key'
  /** Shown to people: type and fingerprint. */
  readonly label: string
  /** SSH wire encoding of the public key, base64. */
  readonly publicKey: string
  /** Id of the key in the vault, for one that is from there: it signs only while the vault is unlocked. */
  readonly vaultKey?: string
  readonly signer: Signer
}

export type Credential = { readonly kind: 'password'; readonly password: string } | KeyCredential

/**
 * Imports a private key and drops its text: the result can sign but cannot be exported.
 * @throws {PrivateKeyError} with the reason
 */
export async function keyCredential(text: string, passphrase: string): Promise<KeyCredential> {
  const key = await readPrivateKey(text, passphrase)
  const blob = encodePublicKey(key.publicKey)
  const label = `${key.publicKey.type} ${await sha256Fingerprint(blob)}`
  return { kind: 'key', label, publicKey: toBase64(blob), signer: await createSigner(key) }
}

/** The message that offers a key to the server. */
export async function keyMessage({ publicKey, signer }: KeyCredential, of: Parameters<typeof loginText>[0]) {
  const message = await sshsigMessage(LOGIN_SIGNATURE_NAMESPACE, new TextEncoder().encode(loginText(of)))
  const signature = toBase64(await signer.sign(message))
  return { type: 'key' as const, key: publicKey, algorithm: signer.algorithm, signature }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))
}
