// The recordings that the store has: two objects each, named by the recording's own id – no text of a person or a device
// is ever part of a key.
import { open, rename } from 'node:fs/promises'
import type { S3Client } from '../../platform/s3/client.ts'
import { StoreError } from '../../platform/s3/store-error.ts'
import { openObject } from '../file/object-file.ts'
import { type RecordingFile, pieces } from '../file/reading.ts'
import { sendFile } from './multipart.ts'

export type Kind = 'cast' | 'index'

/** All calls reject with a {@link StoreError} when the store does not do them. */
export interface Objects {
  /** Whether the store can be asked. */
  check(): Promise<void>
  /** Resolves when the store has confirmed it. @param sent told how many bytes the store has taken */
  send(id: string, kind: Kind, path: string, sent: (bytes: number) => void): Promise<void>
  open(id: string, kind: Kind): Promise<RecordingFile>
  /** Brings a recording back into a file, whole or not at all. */
  fetch(id: string, path: string): Promise<void>
  /** Also what an upload that was cut off has left. */
  remove(id: string): Promise<void>
}

export function createObjects(client: S3Client): Objects {
  const keyOf = (id: string, kind: Kind): string => `${id}.${kind}`

  async function openKey(key: string): Promise<RecordingFile> {
    const object = await client.find(key)
    if (!object) throw new StoreError(404, 'NoSuchKey')
    return openObject(client, key, object)
  }

  return {
    check: () => client.check(),
    send: (id, kind, path, sent) => sendFile(client, keyOf(id, kind), path, sent),
    open: (id, kind) => openKey(keyOf(id, kind)),
    async fetch(id, path) {
      const source = await openKey(keyOf(id, 'cast'))
      const unfinished = `${path}.part`
      const file = await open(unfinished, 'w', 0o600)
      try {
        for await (const piece of pieces(source)) await file.appendFile(piece)
        await file.datasync()
      } finally {
        await file.close()
      }
      await rename(unfinished, path)
    },
    async remove(id) {
      for (const upload of await client.openUploads(`${id}.`)) await client.abortUpload(upload)
      // One by one: DeleteObjects needs a header that clients and older stores do not agree about.
      for (const kind of ['cast', 'index'] as const) await client.remove(keyOf(id, kind))
    },
  }
}

/** An installation that had a store and is not told of it any more. */
const refuse = () => Promise.reject(new StoreError(0, 'no store is set'))
export const NO_STORE: Objects = { check: refuse, send: refuse, open: refuse, fetch: refuse, remove: refuse }
