// SHA-256 of a file while it travels, in pieces that may overtake each other. Nothing is read again for it.
import { createHash } from 'node:crypto'

/** Of pieces that wait for an earlier one; clients ask for a few megabytes ahead. */
const MAX_WAITING_BYTES = 8_388_608

export interface ContentHash {
  add(offset: number, bytes: Uint8Array): void
  /** How much has travelled, and the hash if that was the whole of it once. */
  end(): { readonly bytes: number; readonly sha256?: string }
}

export function createContentHash(): ContentHash {
  const hash = createHash('sha256')
  const waiting = new Map<number, Uint8Array>()
  let waitingBytes = 0
  let hashed = 0
  let travelled = 0
  let isWhole = true

  function take(bytes: Uint8Array): void {
    hash.update(bytes)
    hashed += bytes.length
  }

  return {
    add(offset, bytes) {
      travelled += bytes.length
      if (!isWhole) return
      if (offset !== hashed) {
        waitingBytes += bytes.length
        isWhole = offset > hashed && waitingBytes <= MAX_WAITING_BYTES
        if (isWhole) waiting.set(offset, Uint8Array.from(bytes))
        else waiting.clear()
        return
      }
      take(bytes)
      for (let next = waiting.get(hashed); next; next = waiting.get(hashed)) {
        waiting.delete(hashed)
        waitingBytes -= next.length
        take(next)
      }
    },
    end() {
      const bytes = travelled
      return isWhole && waiting.size === 0 ? { bytes, sha256: hash.digest('hex') } : { bytes }
    },
  }
}
