// Sends a file to the store: small ones at once, others in parts, each with its hash, so that the store takes nothing but
// the bytes that were read here.
import { createHash } from 'node:crypto'
import { type FileHandle, constants, open } from 'node:fs/promises'
import type { Body, S3Client } from '../../platform/s3/client.ts'
import { StoreError } from '../../platform/s3/store-error.ts'

/** Of a part, and of what is sent at once: what an upload needs of memory. Stores take no smaller parts, but for the last. */
export const PART_BYTES = 5_242_880
/** No store takes more parts. */
const MAX_PARTS = 10_000
/** Read and hashed at once: in between, people's bytes have their turn. */
const STEP_BYTES = 262_144

/**
 * Resolves when the store has confirmed the object and its size. What an earlier attempt has left is removed first.
 * @param sent told how many bytes the store has taken
 */
export async function sendFile(
  client: S3Client,
  key: string,
  path: string,
  sent: (bytes: number) => void,
): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size } = await file.stat()
    if (size <= PART_BYTES) {
      await client.put(key, await bodyOf(file, 0, size))
      sent(size)
    } else await sendParts(client, key, file, size, sent)
    if ((await client.find(key))?.size !== size) throw new StoreError(502, 'the object has another size')
  } finally {
    await file.close()
  }
}

async function sendParts(
  client: S3Client,
  key: string,
  file: FileHandle,
  size: number,
  sent: (bytes: number) => void,
): Promise<void> {
  for (const abandoned of await client.openUploads(key)) await client.abortUpload(abandoned)
  const partBytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS))
  const upload = await client.beginUpload(key)
  const tags: string[] = []
  for (let from = 0; from < size; from += partBytes) {
    const body = await bodyOf(file, from, Math.min(partBytes, size - from))
    tags.push(await client.putPart(upload, tags.length + 1, body))
    sent(body.bytes.length)
  }
  await client.endUpload(upload, tags)
}

async function bodyOf(file: FileHandle, from: number, length: number): Promise<Body> {
  const bytes = Buffer.allocUnsafe(length)
  const hash = createHash('sha256')
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(bytes, done, Math.min(STEP_BYTES, length - done), from + done)
    if (bytesRead === 0) throw new Error('The file of a recording has become shorter.')
    hash.update(bytes.subarray(done, done + bytesRead))
    done += bytesRead
  }
  return { bytes, hash: hash.digest('hex') }
}
