// Whether the server answers. Every request reports what it saw; while the server does not answer, this asks it with
// growing pauses until it does.
import { Backoff } from '@bowline/base/backoff'
import { ApiError } from '@bowline/contract/client'
import { createStore, type Store } from '../platform/store.ts'

export type Connectivity =
  | { readonly kind: 'reachable' }
  /** `cause`: a sentence of the server, '' when nothing answered. `retryAt`: milliseconds of `now()`. */
  | { readonly kind: 'unreachable'; readonly cause: string; readonly retryAt: number }

export interface ConnectivityParts {
  /** Resolves when the server answers, rejects when it does not. */
  readonly probe: () => Promise<unknown>
  /** Runs `work` after `delayMs`. @returns the function that takes it back */
  readonly later: (work: () => void, delayMs: number) => () => void
  /** Milliseconds since the epoch: people see the countdown. */
  readonly now: () => number
}

export interface Watch {
  readonly state: Store<Connectivity>
  /** The server did not answer, or said that it cannot: `cause` is its sentence, '' for none. */
  readonly failed: (cause: string) => void
  readonly succeeded: () => void
  readonly retryNow: () => void
}

const RETRY = { baseMs: 1_000, capMs: 15_000, leastShare: 1 }

/** Statuses of a server that cannot work, or of a proxy that does not find it. */
const NO_SERVER = new Set([502, 503, 504])

/** True for failures that say the server cannot be reached, rather than that it refused. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof ApiError) return NO_SERVER.has(error.status)
  return error instanceof TypeError || isTimeout(error)
}

function isTimeout(error: unknown): boolean {
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

  function succeeded() {
    cancel()
    backoff.reset()
    if (state.get().kind !== 'reachable') state.set({ kind: 'reachable' })
  }

  return {
    state,
    succeeded,
    retryNow: ask,
    failed(cause) {
      if (state.get().kind === 'reachable') plan(cause)
    },
  }
}

/** Adds the reports to a `fetch`. A request that was given up says nothing about the server. */
export function watchedFetch(send: typeof fetch, watch: Pick<Watch, 'failed' | 'succeeded'>): typeof fetch {
  return async (url, init) => {
    try {
      const response = await send(url, init)
      if (NO_SERVER.has(response.status)) watch.failed(await causeOf(response.clone()))
      else watch.succeeded()
      return response
    } catch (error) {
      if (isUnreachable(error)) watch.failed('')
      throw error
    }
  }
}

/** The sentence of a failed answer; '' when it is not one of ours. */
async function causeOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  const named = typeof body === 'object' && body !== null && 'message' in body ? body.message : ''
  return typeof named === 'string' ? named : ''
}
