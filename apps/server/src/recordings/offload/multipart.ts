// Uploads a file to the store: small ones in one request, others in parts, each with its hash, so that the store
// accepts only the bytes that were read here.
import { createHash } from 'node:crypto'
import { type FileHandle, constants, open } from 'node:fs/promises'
import type { Body, S3Client } from '../../platform/s3/client.ts'
import { StoreError } from '../../platform/s3/store-error.ts'

/** Size of a part, and so the memory of an upload. Stores accept no smaller parts except the last. */
export const PART_BYTES = 5_242_880
/** Maximum number of parts in S3. */
const MAX_PARTS = 10_000
/** Bytes read and hashed per step, so that sessions are served in between. */
const STEP_BYTES = 262_144

/**
 * Resolves when the store has confirmed the object and its size. Removes leftovers of an earlier attempt first.
 * @param sent called with the number of bytes that the store has accepted
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
