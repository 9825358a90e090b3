// What is signed when a key signs something that is no login (OpenSSH's PROTOCOL.sshsig). WebCrypto, so it works in the
// browser too. The frame begins with bytes that no login's does, and names what the signature is for.
import { WireWriter } from '../wire/writer.ts'

/**
 * The bytes that the key signs for a message, hashed with SHA-512.
 * @param namespace what the signature is for; never empty
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
