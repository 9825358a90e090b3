// Self-checking messages: length and SHA-256 precede the body, so the receiver can verify a message without knowing
// what was sent.
import { createHash, randomBytes, randomInt } from 'node:crypto'
import type { Readable } from 'node:stream'

const HEAD_BYTES = 4 + 32

/** @param maxBytes limit of the body; its length is random and often tiny, like first bytes are */
export function selfChecking(maxBytes: number): Buffer {
  const body = randomBytes(randomInt(2) ? randomInt(64) : randomInt(maxBytes))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, createHash('sha256').update(body).digest(), body])
}

/** Checks that `bytes` are exactly one such message; otherwise says what is wrong. */
export function faultOf(bytes: Buffer): string | undefined {
  if (bytes.length < HEAD_BYTES) return `${bytes.length} bytes instead of a message`
  const body = bytes.subarray(HEAD_BYTES)
  const length = bytes.readUInt32BE()
  if (body.length !== length) return `${body.length} of ${length} bytes`
  return createHash('sha256').update(body).digest().equals(bytes.subarray(4, HEAD_BYTES)) ? undefined : 'other bytes'
}

/** Reads the first message of an open stream; rejects when the stream ends before it is complete. */
export function readMessage(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let got = Buffer.alloc(0)
    const done = (act: () => void): void => {
      stream.off('data', take).off('close', lost).off('error', lost)
      act()
    }
    const lost = (): void => done(() => reject(new Error(`the stream ended after ${got.length} bytes`)))
    const take = (bytes: Buffer): void => {
      got = Buffer.concat([got, bytes])
      if (got.length >= HEAD_BYTES && got.length >= HEAD_BYTES + got.readUInt32BE()) done(() => resolve(got))
    }
    stream.on('data', take).once('close', lost).once('error', lost)
  })
}
