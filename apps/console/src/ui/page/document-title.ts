// The page's name in the browser's tab, told to screen readers when it changes: they do not notice a new page that was
// not loaded.
import { useEffect } from 'react'
import { announce } from '../feedback/announce.tsx'

/** Names the page while the component is on screen. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    const named = `${title} · Bowline`
    if (document.title === named) return
    // The first page is told by the browser itself.
    if (document.title !== 'Bowline') announce(title)
    document.title = named
  }, [title])
}
