// Host key rotation (OpenSSH's PROTOCOL section 2.5): announces all host keys after sign-in, and proves them.
import type { HostKey } from '../keys/host-key.ts'
import { MSG_GLOBAL_REQUEST, MSG_REQUEST_SUCCESS } from '../wire/numbers.ts'
import { WireWriter } from '../wire/writer.ts'

const ANNOUNCE = 'hostkeys-00@openssh.com'
const PROVE = 'hostkeys-prove-00@openssh.com'

/** The announcement, a global request without reply. */
export function announceHostKeys(keys: readonly HostKey[]): Uint8Array {
  const message = new WireWriter(256).byte(MSG_GLOBAL_REQUEST).string(ANNOUNCE).boolean(false)
  for (const key of keys) message.string(key.blob)
  return message.done()
}

/**
 * The answer to a request for proof of `blobs`.
 * @returns undefined when one of them is not ours or there are more than we have
 */
export function proveHostKeys(
  keys: readonly HostKey[],
  blobs: readonly Uint8Array[],
  sessionId: Uint8Array,
): Uint8Array | undefined {
  if (blobs.length === 0 || blobs.length > keys.length) return undefined
  const reply = new WireWriter(256).byte(MSG_REQUEST_SUCCESS)
  for (const blob of blobs) {
    const key = keys.find((candidate) => Buffer.compare(candidate.blob, blob) === 0)
    const [algorithm] = key?.algorithms ?? []
    if (!key || algorithm === undefined) return undefined
    const signed = new WireWriter(256).string(PROVE).string(sessionId).string(key.blob).done()
    reply.string(key.sign(algorithm, signed))
  }
  return reply.done()
}
