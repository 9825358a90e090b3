// SHA-256 of a file during its transfer, in pieces that may arrive out of order. Nothing is read again.
import { createHash } from 'node:crypto'

/** Limit of buffered out-of-order pieces; clients request a few megabytes ahead. */
const MAX_WAITING_BYTES = 8_388_608

export interface ContentHash {
  add(offset: number, bytes: Uint8Array): void
  /** Transferred bytes, and the hash if they were the whole file exactly once. */
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
