// An S3 store for the recordings of a cluster: Swift, with a bucket.
import { createHash } from 'node:crypto'
import { type Swift, startSwift } from '@bowline/testkit/swift'
import { createS3Client } from '../../apps/server/src/platform/s3/client.ts'

const BUCKET = 'recordings'

/** @returns it, with the settings of servers that use it */
export async function startStore(): Promise<{ readonly swift: Swift; readonly settings: Record<string, string> }> {
  const swift = await startSwift()
  const { endpoint, region, accessKeyId, secretAccessKey } = swift
  const place = { endpoint: new URL(endpoint), region, bucket: BUCKET, prefix: '', pathStyle: true }
  const credentials = { accessKeyId, secretAccessKey }
  const store = await createS3Client({ ...place, credentials }, new AbortController().signal)
  await store.put('', { bytes: Buffer.alloc(0), hash: createHash('sha256').digest('hex') })
  return {
    swift,
    settings: {
      BOWLINE_S3_ENDPOINT: endpoint,
      BOWLINE_S3_BUCKET: BUCKET,
      BOWLINE_S3_ACCESS_KEY_ID: accessKeyId,
      BOWLINE_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
  }
}
