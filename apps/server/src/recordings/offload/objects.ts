// Recordings in the store: two objects each, named by the recording's own id – text from users or devices is never part
// of a key.
import { open, rename } from 'node:fs/promises'
import type { S3Client } from '../../platform/s3/client.ts'
import { StoreError } from '../../platform/s3/store-error.ts'
import { openObject } from '../file/object-file.ts'
import { type RecordingFile, pieces } from '../file/reading.ts'
import { sendFile } from './multipart.ts'

export type Kind = 'cast' | 'index'

/** All calls reject with a {@link StoreError} when the store fails. */
export interface Objects {
  /** Rejects unless the store is reachable. */
  check(): Promise<void>
  /** Resolves when the store has confirmed it. @param sent called with the number of accepted bytes */
  send(id: string, kind: Kind, path: string, sent: (bytes: number) => void): Promise<void>
  open(id: string, kind: Kind): Promise<RecordingFile>
  /** Downloads a recording into a file, atomically. */
  fetch(id: string, path: string): Promise<void>
  /** Also removes leftovers of an interrupted upload. */
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
      // One by one: DeleteObjects needs a header on which clients and older stores disagree.
      for (const kind of ['cast', 'index'] as const) await client.remove(keyOf(id, kind))
    },
  }
}

/** For an installation whose store is no longer configured. */
const refuse = () => Promise.reject(new StoreError(0, 'no store is set'))
export const NO_STORE: Objects = { check: refuse, send: refuse, open: refuse, fetch: refuse, remove: refuse }
