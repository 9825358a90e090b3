// Live streams of all pages of a browser. Without HTTP/2 it opens six connections to a server in all: as many pages with a stream
// each would leave none for calls, and the next page would never load.

/** A place for one stream. */
export interface StreamSlot {
  readonly release: () => void
}

export interface StreamSlots {
  /** @returns undefined while other pages have all of them */
  readonly take: () => Promise<StreamSlot | undefined>
}

const SLOTS = 3
const UNLIMITED: StreamSlot = { release: () => undefined }

/** @param locks of the browser; undefined where the page is not a secure context: nothing is limited then */
export function createStreamSlots(locks: Pick<LockManager, 'request'> | undefined): StreamSlots {
  return {
    async take() {
      if (!locks) return UNLIMITED
      for (let at = 0; at < SLOTS; at += 1) {
        const slot = await takeLock(locks, `bowline.stream.${at}`)
        if (slot) return slot
      }
      return undefined
    },
  }
}

function takeLock(locks: Pick<LockManager, 'request'>, name: string): Promise<StreamSlot | undefined> {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: slot, resolve: answer } = Promise.withResolvers<StreamSlot | undefined>()
  locks
    .request(name, { ifAvailable: true }, (lock) => {
      answer(lock ? { release } : undefined)
      return lock ? held : undefined
    })
    // The page is going away.
    .catch(() => answer(undefined))
  return slot
}
