// The reader's edition, chosen once and stored in the browser; parts of pages are shown for some editions only.
import { type ReactElement, type ReactNode, useSyncExternalStore } from 'react'

export const EDITIONS = ['community', 'enterprise', 'cloud'] as const
export type Edition = (typeof EDITIONS)[number]
const KEY = 'docs-edition'
const CHANGED = 'docs-edition-changed'

function subscribe(listener: () => void): () => void {
  addEventListener(CHANGED, listener)
  addEventListener('storage', listener)
  return () => {
    removeEventListener(CHANGED, listener)
    removeEventListener('storage', listener)
  }
}

function stored(): Edition {
  try {
    return EDITIONS.find((edition) => edition === localStorage.getItem(KEY)) ?? 'community'
  } catch {
    return 'community'
  }
}

export function useEdition(): [Edition, (edition: Edition) => void] {
  const edition = useSyncExternalStore(subscribe, stored, () => 'community' as const)
  const choose = (chosen: Edition): void => {
    try {
      localStorage.setItem(KEY, chosen)
    } catch {
      // Without storage the choice lasts until the page is left.
    }
    dispatchEvent(new Event(CHANGED))
  }
  return [edition, choose]
}

/** The switch, for the navigation bar. */
export function EditionSwitch(): ReactElement {
  const [edition, choose] = useEdition()
  return (
    <label className="edition-switch">
      <span>Edition</span>
      <select
        value={edition}
        onChange={({ target }) => choose(EDITIONS.find((one) => one === target.value) ?? edition)}
      >
        {EDITIONS.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Shown when the reader has chosen one of the editions. Hidden content stays in the page, for search and printing. */
export function Only({ in: editions, children }: { readonly in: string; readonly children: ReactNode }): ReactElement {
  const [edition] = useEdition()
  return (
    <div className="only" hidden={!editions.split(' ').includes(edition)}>
      <span className="only-mark">{editions.replaceAll(' ', ' · ')}</span>
      {children}
    </div>
  )
}
