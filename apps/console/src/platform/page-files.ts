// Files of the console that come when a page needs them. One that does not arrive never costs the console: open
// terminals and what is on screen stay, and the page says in its place that it could not be loaded.
import { isPageHeld } from './page-holds.ts'

type Load<T> = () => Promise<T>

/** `updated`: the server has another build of the console, and this page is needed still. */
export class PageNotLoaded extends Error {
  override readonly name = 'PageNotLoaded'
  readonly reason: 'unreachable' | 'updated'
  constructor(reason: PageNotLoaded['reason'], cause: unknown) {
    super(`A part of the console did not arrive: ${reason}`, { cause })
    this.reason = reason
  }
}

const loads = new Set<Load<unknown>>()

/**
 * A file that is loaded when it is asked for, or when the browser has nothing else to do.
 * @param load imports it
 * @returns the same; rejects with PageNotLoaded when the file, its styles or what it imports did not arrive
 */
export function pageFile<T>(load: Load<T>): Load<T> {
  const loadOrTell = async (): Promise<T> => {
    try {
      return await load()
    } catch (error) {
      if (!isMissing(error)) throw error
      if (!(await isReplaced())) throw new PageNotLoaded('unreachable', error)
      if (isPageHeld()) throw new PageNotLoaded('updated', error)
      location.reload()
      // The page is going: what it would show in the meantime is of no use.
      return await new Promise<never>(() => {})
    }
  }
  loads.add(load)
  return loadOrTell
}

/** Loads every file that is not there yet, one after the other, so that each page opens without the server too. */
export async function loadRestWhenIdle(): Promise<void> {
  for (const load of loads) {
    await idle()
    // It is asked for again when somebody opens the page.
    await load().catch(() => undefined)
  }
}

/** Safari has no `requestIdleCallback`. */
function idle(): Promise<unknown> {
  return new Promise((resolve) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(resolve) : setTimeout(resolve, 1_000),
  )
}

/** Whether an import failed because something did not arrive, in the words of the browsers and of Vite. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|Importing a module script failed|Unable to preload CSS/i.test(error.message)
  )
}

const ENTRY = 'script[type="module"][src]'
const ANSWER_MS = 5_000

/** Whether the server answers with a page that starts another build than this one. */
async function isReplaced(): Promise<boolean> {
  try {
    const response = await fetch('/', {
      cache: 'no-store',
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    if (!response.ok) return false
    const current = new DOMParser().parseFromString(await response.text(), 'text/html')
    const entry = current.querySelector(ENTRY)?.getAttribute('src')
    return entry !== undefined && entry !== null && entry !== document.querySelector(ENTRY)?.getAttribute('src')
  } catch {
    return false
  }
}
