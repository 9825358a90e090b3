// Lazily loaded page modules. A module that fails to load never takes the console down: open terminals and the current
// page stay, and an error is shown in place of the page.
import { type Store, createStore } from './store.ts'
import { isUnloadGuarded } from './unload-guard.ts'

type Load<T> = () => Promise<T>

export interface PageFile<T> extends Load<T> {
  /** The module once it is loaded. */
  readonly loaded: () => T | undefined
  /** Tells when it is loaded, whoever has asked for it. */
  readonly subscribe: Store<T | undefined>['subscribe']
}

/** `updated`: the server now serves another build of the console, and this page cannot be reloaded yet. */
export class PageNotLoaded extends Error {
  override readonly name = 'PageNotLoaded'
  readonly reason: 'unreachable' | 'updated'
  constructor(reason: PageNotLoaded['reason'], cause: unknown) {
    super(`A part of the console failed to load: ${reason}`, { cause })
    this.reason = reason
  }
}

const loads = new Set<Load<unknown>>()
/** Modules that a shortcut opens on any page. */
const soon = new Set<Load<unknown>>()

/**
 * A module that is loaded on first use, or before that when the browser is idle.
 * @param importModule by a dynamic import
 * @param when `soon`: preloaded as soon as the first page rests; `asked`: never preloaded
 * @returns a `load` that rejects with PageNotLoaded when the module or one of its imports fails to load
 */
export function pageFile<T>(importModule: Load<T>, when: 'soon' | 'later' | 'asked' = 'later'): PageFile<T> {
  const module = createStore<T | undefined>(undefined)
  const load = async (): Promise<T> => {
    const loaded = await importModule()
    module.set(loaded)
    return loaded
  }
  const loadOrReload = async (): Promise<T> => {
    try {
      return await load()
    } catch (error) {
      if (!isMissing(error)) throw error
      if (!(await isReplaced())) throw new PageNotLoaded('unreachable', error)
      if (isUnloadGuarded()) throw new PageNotLoaded('updated', error)
      location.reload()
      // The page is about to reload: never settle, so that no error flashes up.
      return await new Promise<never>(() => {})
    }
  }
  if (when === 'soon') soon.add(load)
  else if (when === 'later') loads.add(load)
  return Object.assign(loadOrReload, { loaded: module.get, subscribe: module.subscribe })
}

/** The first page is used in that time: nothing else takes the line or the processor. */
const FIRST_USE_MS = 10_000
const FIRST_REST_MS = 4_000

/**
 * Preloads every module that is not loaded yet, one after the other, so that pages open even when the server is down.
 */
export async function loadRestWhenIdle(): Promise<void> {
  await pause(FIRST_REST_MS)
  await loadIdly(soon)
  await pause(FIRST_USE_MS - FIRST_REST_MS)
  await loadIdly(loads)
}

async function loadIdly(modules: Iterable<Load<unknown>>): Promise<void> {
  for (const load of modules) {
    await idle()
    // Retried when somebody opens the page.
    await load().catch(() => undefined)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Safari has no `requestIdleCallback`. */
function idle(): Promise<unknown> {
  return new Promise((resolve) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(resolve) : setTimeout(resolve, 1_000),
  )
}

/** True when a dynamic import failed to load, judged by the error messages of the browsers. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|Importing a module script failed/i.test(error.message)
}

const ENTRY = 'script[type="module"][src]'
const ANSWER_TIMEOUT_MS = 5_000

/** True when the server's index page starts another build than this one. */
async function isReplaced(): Promise<boolean> {
  try {
    const response = await fetch('/', {
      cache: 'no-store',
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    if (!response.ok) return false
    const current = new DOMParser().parseFromString(await response.text(), 'text/html')
    const entry = current.querySelector(ENTRY)?.getAttribute('src')
    return entry !== undefined && entry !== null && entry !== document.querySelector(ENTRY)?.getAttribute('src')
  } catch {
    return false
  }
}
