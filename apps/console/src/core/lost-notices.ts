// Parts of a page that say themselves that their connection is lost: the banner above every page would say it twice.
import { useEffect } from 'react'
import { createStore } from '../platform/store.ts'

/** Number of such parts on the screen. */
export const lostNotices = createStore(0)

/** For a part that shows its lost connection, and when it is tried again. */
export function useLostNotice(): void {
  useEffect(() => {
    lostNotices.set(lostNotices.get() + 1)
    return () => lostNotices.set(lostNotices.get() - 1)
  }, [])
}
