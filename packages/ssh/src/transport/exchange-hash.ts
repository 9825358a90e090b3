// The exchange hash H (RFC 4253 section 8, RFC 5656 section 4) and the keys derived from it (section 7.2).
// All our methods hash with SHA-256.
import { createHash } from 'node:crypto'

/** The fields that H covers, in order. `secret` is already encoded (mpint or string). */
export interface ExchangeTranscript {
  readonly clientIdent: string
  readonly serverIdent: string
  readonly clientKexInit: Uint8Array
  readonly serverKexInit: Uint8Array
  readonly hostKey: Uint8Array
  readonly clientString: Uint8Array
  readonly serverString: Uint8Array
  readonly secret: Uint8Array
}

export function exchangeHash(transcript: ExchangeTranscript): Buffer {
  const strings = [
    Buffer.from(transcript.clientIdent),
    Buffer.from(transcript.serverIdent),
    transcript.clientKexInit,
    transcript.serverKexInit,
    transcript.hostKey,
    transcript.clientString,
    transcript.serverString,
  ]
  const hash = createHash('sha256')
  for (const bytes of strings) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    hash.update(length).update(bytes)
  }
  return hash.update(transcript.secret).digest()
}

/** Returns a function that derives `bytes` bytes of key material for a letter of RFC 4253 section 7.2. */
export function keyDerivation(
  secret: Uint8Array,
  hash: Uint8Array,
  sessionId: Uint8Array,
): (letter: string, bytes: number) => Buffer {
  return (letter, bytes) => {
    let material = createHash('sha256').update(secret).update(hash).update(letter).update(sessionId).digest()
    while (material.length < bytes) {
      const more = createHash('sha256').update(secret).update(hash).update(material).digest()
      material = Buffer.concat([material, more])
    }
    return material.subarray(0, bytes)
  }
}
