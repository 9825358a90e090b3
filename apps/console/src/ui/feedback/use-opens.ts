import { useEffect, useState } from 'react'

/**
 * Opens a dialog after it has mounted: only then does the kit remember what has the focus, to give it back. Dialogs in
 * files of their own mount when they are wanted.
 */
export function useOpens(opened: boolean): boolean {
  const [hasMounted, setMounted] = useState(false)
  // oxlint-disable-next-line react/set-state-in-effect -- the kit compares two renders
  useEffect(() => setMounted(true), [])
  return hasMounted && opened
}
