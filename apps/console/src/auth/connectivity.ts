// Tracks whether the server is reachable. Every request reports its outcome; while the server is unreachable, it is
// probed with exponential backoff.
import { Backoff } from '@bowline/base/backoff'
import { ApiError } from '@bowline/contract/client'
import { createStore, type Store } from '../platform/store.ts'

export type Connectivity =
  | { readonly kind: 'reachable' }
  /** `cause`: the server's error message, '' when nothing answered. `retryAt`: milliseconds, as `now()`. */
  | { readonly kind: 'unreachable'; readonly cause: string; readonly retryAt: number }

export interface ConnectivityParts {
  /** Resolves when the server answers, rejects when it does not. */
  readonly probe: () => Promise<unknown>
  /** Runs `work` after `delayMs`. @returns cancel */
  readonly later: (work: () => void, delayMs: number) => () => void
  /** Milliseconds since the epoch: the countdown is shown to people. */
  readonly now: () => number
}

export interface Watch {
  readonly state: Store<Connectivity>
  /** The server did not answer, or answered that it is unavailable: `cause` is its message, '' for none. */
  readonly failed: (cause: string) => void
  readonly succeeded: () => void
  /** Requests that have been answered so far. */
  readonly answered: () => number
  readonly retryNow: () => void
  /** A request has been without an answer for long. */
  readonly isSlow: Store<boolean>
  /** A request begins. @returns to be called when it has an answer or is over */
  readonly began: () => () => void
}

const RETRY = { baseMs: 1_000, capMs: 15_000, leastShare: 1 }
/** After so long people are told what they wait for. */
const SLOW_MS = 6_000

/** Statuses of a server that is unavailable, or of a proxy that cannot reach it. */
const NO_SERVER = new Set([502, 503, 504])

/** True when the error means that the server is unreachable, rather than that it refused the call. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof ApiError) return NO_SERVER.has(error.status)
  return error instanceof TypeError || isTimeout(error)
}

/** True when a call was given up because it had no answer in time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

export function watchConnectivity({ probe, later, now }: ConnectivityParts): Watch {
  const state = createStore<Connectivity>({ kind: 'reachable' })
  const backoff = new Backoff(RETRY)
  let cancel = () => {}
  let probing = false

  function plan(cause: string) {
    const pauseMs = backoff.next()
    state.set({ kind: 'unreachable', cause, retryAt: now() + pauseMs })
    cancel()
    cancel = later(ask, pauseMs)
  }

  function ask() {
    if (probing) return
    probing = true
    probe()
      .then(succeeded, (error: unknown) => plan(error instanceof ApiError ? error.message : ''))
      .finally(() => (probing = false))
  }

  let answers = 0
  function succeeded() {
    answers += 1
    cancel()
    backoff.reset()
    if (state.get().kind !== 'reachable') state.set({ kind: 'reachable' })
  }

  const isSlow = createStore(false)
  let slow = 0
  function began(): () => void {
    let isCounted = false
    const cancelSlow = later(() => {
      isCounted = true
      slow += 1
      isSlow.set(true)
    }, SLOW_MS)
    return () => {
      cancelSlow()
      if (!isCounted) return
      isCounted = false
      slow -= 1
      isSlow.set(slow > 0)
    }
  }

  return {
    state,
    succeeded,
    answered: () => answers,
    isSlow,
    began,
    retryNow: ask,
    failed(cause) {
      if (state.get().kind === 'reachable') plan(cause)
    },
  }
}

/** Wraps `fetch` to report each outcome. An aborted request says nothing about the server. */
export function watchedFetch(
  send: typeof fetch,
  watch: Pick<Watch, 'failed' | 'succeeded' | 'answered' | 'began'>,
): typeof fetch {
  return async (url, init) => {
    const over = watch.began()
    const before = watch.answered()
    try {
      const response = await send(url, init).finally(over)
      if (NO_SERVER.has(response.status)) watch.failed(await causeOf(response.clone()))
      else watch.succeeded()
      return response
    } catch (error) {
      // A server that answered others meanwhile is reachable: only this call takes too long.
      if (isTimeout(error) ? watch.answered() === before : isUnreachable(error)) watch.failed('')
      throw error
    }
  }
}

/** The message of a failed answer; '' when the body is not one of the API's errors. */
async function causeOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  const named = typeof body === 'object' && body !== null && 'message' in body ? body.message : ''
  return typeof named === 'string' ? named : ''
}
