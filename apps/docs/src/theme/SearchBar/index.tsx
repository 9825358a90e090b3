// The search button of the navigation bar, and the shortcuts that open the dialog.
import { keepTyped } from '@bowline/browser/typed-ahead'
import useIsBrowser from '@docusaurus/useIsBrowser'
import { type ReactElement, useCallback, useEffect, useRef, useState } from 'react'
import type { SearchDialog } from '../../search/dialog.tsx'
import styles from '../../search/search.module.css'

type Dialog = typeof SearchDialog

export default function SearchBar(): ReactElement {
  const [Shown, setShown] = useState<Dialog>()
  const [open, setOpen] = useState(false)
  const [initialQuery, setInitialQuery] = useState('')
  const modifier = useIsBrowser() && /mac|iphone|ipad/i.test(navigator.platform) ? 'Command' : 'Ctrl'
  const button = useRef<HTMLButtonElement>(null)
  /** Set while the dialog is loading. */
  const opening = useRef<() => string>(undefined)
  const take = useCallback(() => {
    const typed = opening.current?.() ?? ''
    opening.current = undefined
    return typed
  }, [])

  const show = useCallback(
    (query = '') => {
      if (opening.current) return
      setInitialQuery(query)
      const mine = keepTyped(() => (opening.current = undefined))
      opening.current = mine
      import('../../search/dialog.tsx').then((module) => {
        // It was not cancelled in the meantime.
        if (opening.current !== mine) return
        setShown(() => module.SearchDialog)
        setOpen(true)
      }, take)
    },
    [take],
  )
  const close = useCallback(() => {
    setOpen(false)
    button.current?.focus()
  }, [])

  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const withModifier = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)
      const slash = event.key === '/' && !isTextField(event.target)
      if (!withModifier && !slash) return
      event.preventDefault()
      if (open) close()
      else show(getSelection()?.toString().trim().slice(0, 64) ?? '')
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [open, show, close])
  useEffect(() => () => void take(), [take])

  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles['button']}
        aria-label={`Search (${modifier}+K)`}
        aria-keyshortcuts={modifier === 'Command' ? 'Meta+K' : 'Control+K'}
        onClick={() => show()}
        onMouseEnter={() => void import('../../search/dialog.tsx')}
      >
        <svg width="16" height="16" viewBox="0 0 20 20" aria-hidden>
          <path
            d="M14 14l4.5 4.5M16 9A7 7 0 112 9a7 7 0 0114 0z"
            fill="none"
            stroke="currentColor"
            strokeWidth="2"
            strokeLinecap="round"
          />
        </svg>
        <span className={styles['buttonText']}>Search</span>
        <kbd aria-hidden data-keys={modifier === 'Command' ? '⌘ K' : 'Ctrl K'} />
      </button>
      {open && Shown && <Shown initialQuery={initialQuery} takeTyped={take} close={close} />}
    </>
  )
}

function isTextField(target: EventTarget | null): boolean {
  const element = target instanceof HTMLElement ? target : undefined
  return (
    element !== undefined && (element.isContentEditable || ['INPUT', 'SELECT', 'TEXTAREA'].includes(element.tagName))
  )
}
