import { useEffect, useState } from 'react'
import { focusList } from '../list/roving.ts'

/** The kit gives the focus back 10 ms after it has closed a dialog that stays mounted. */
const AFTER_KIT_MS = 20

/**
 * Opens a dialog after it has mounted: only then does the kit remember what has the focus, to give it back. Dialogs in
 * files of their own mount when they are wanted; those that unmount as they close, or whose opener is gone by then, get
 * the focus back here.
 */
export function useOpens(opened: boolean): boolean {
  const [hasMounted, setMounted] = useState(false)
  // oxlint-disable-next-line react/set-state-in-effect -- the kit compares two renders
  useEffect(() => setMounted(true), [])
  useEffect(() => {
    if (!opened) return
    const opener = document.activeElement
    return () => {
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) {
          opener.focus({ preventScroll: true })
        } else focusList()
      }, AFTER_KIT_MS)
    }
  }, [opened])
  return hasMounted && opened
}
