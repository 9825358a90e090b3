// The signed message of signatures outside of logins (OpenSSH's PROTOCOL.sshsig). WebCrypto, so it also runs in the
// browser. It starts with bytes that no login's message does, and names the purpose of the signature.
import { WireWriter } from '../wire/writer.ts'

/**
 * The bytes to sign for a message, which is hashed with SHA-512.
 * @param namespace purpose of the signature; never empty
 */
export async function sshsigMessage(namespace: string, message: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-512', Uint8Array.from(message)))
  return new WireWriter(256)
    .bytes(new TextEncoder().encode('SSHSIG'))
    .string(namespace)
    .string('')
    .string('sha512')
    .string(hash)
    .done()
}
