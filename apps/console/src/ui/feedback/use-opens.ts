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
        // Browsers that do not focus a clicked button had no focus to give back.
        if (document.activeElement !== document.body || opener === document.body) return
        if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
        // On a touch screen it would only draw a ring.
        else if (matchMedia('(hover: hover)').matches) focusList({ preventScroll: true })
      }, AFTER_KIT_MS)
    }
  }, [opened])
  return hasMounted && opened
}
