// Sets the document title and announces it to screen readers, which do not notice client-side navigation.
import { useEffect } from 'react'
import { announce } from '../feedback/announce.tsx'

/** Sets the title while the component is mounted. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    const named = `${title} · Bowline`
    if (document.title === named) return
    // The browser itself announces the first page.
    if (document.title !== 'Bowline') announce(title)
    document.title = named
  }, [title])
}
