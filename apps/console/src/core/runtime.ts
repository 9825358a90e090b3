// The console's object graph, wired in one place: session, API calls, live events, cache.
import { createClient } from '@bowline/contract/client'
import { auth } from '@bowline/contract/operations/auth'
import { events } from '@bowline/contract/operations/stats'
import { instance } from '@bowline/contract/operations/instance'
import { QueryClient } from '@tanstack/react-query'
import { createLiveConnection, type LiveConnection } from '../live/live-connection.ts'
import { createSharedStream } from '../live/shared-stream.ts'
import { type LiveFeed, createLiveFeed } from '../live/live-feed.ts'
import { createApi, type Api } from '../auth/api.ts'
import { exclusively, openTabChannel } from '../auth/browser.ts'
import { takeEarlyList, takeEarlySession } from '../auth/early-answer.ts'
import { watchConnectivity, watchedFetch, type Watch } from '../auth/connectivity.ts'
import { createProofRequests, type ProofRequests } from '../auth/proof-requests.ts'
import { createSession, type Session, type SessionState } from '../auth/session.ts'
import { sessionTrace } from '../auth/session-trace.ts'
import { isRetryable } from '../auth/retry.ts'
import { createStore, type Store } from '../platform/store.ts'
import { keepErrors } from './keep-errors.ts'
import { mayChangeRights } from './own-rights.ts'

export interface Runtime {
  readonly session: Session
  readonly api: Api
  readonly watch: Watch
  /** Calls that wait for a fresh proof. */
  readonly proofs: ProofRequests
  /** Recovery code that this sign-in has used: it still switches the second factor off for a while. '' for none. */
  readonly usedRecoveryCode: Store<string>
  readonly live: LiveConnection
  readonly queryClient: QueryClient
}

/** A glance at another tab costs no new stream. */
const HIDDEN_MS = 5_000
/** Long enough that navigating back and forth fetches nothing: live events keep visible data fresh. */
const STALE_MS = 30_000

export function createRuntime(): Runtime {
  const watch = watchConnectivity({ probe: () => client.call(instance.info, {}), later, now: () => Date.now() })
  const client = createClient({ origin: '', fetch: watchedFetch(fetchFirst, watch) })
  const broadcast = openTabChannel((message) => session.receive(message))
  const session: Session = createSession({
    client,
    exclusively,
    broadcast,
    now: () => performance.now(),
    trace: sessionTrace,
  })
  const proofs = createProofRequests()
  const usedRecoveryCode = createStore('')
  session.state.subscribe(() => {
    if (session.state.get().kind !== 'signed-in') usedRecoveryCode.set('')
  })
  const api = createApi(client, session, (reason) => proofs.ask(reason))
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: { staleTime: STALE_MS, networkMode: 'always', retry: isRetryable, refetchOnWindowFocus: true },
      mutations: { networkMode: 'always', retry: false },
    },
  })
  keepErrors(queryClient.getQueryCache())
  const feed = createLiveFeed({ queryClient, later })
  const openStream = createSharedStream({
    locks: 'locks' in navigator ? navigator.locks : undefined,
    open(lastEventId, signal) {
      const headers: Record<string, string> = lastEventId === '' ? {} : { 'last-event-id': lastEventId }
      return api.open(events.stream, { signal, headers })
    },
    later,
  })
  const live = createLiveConnection({
    open: (lastEventId, signal) => openStream(`bowline.events ${ownerOf(session.state.get())}`, lastEventId, signal),
    later,
    random: Math.random,
    onEvent(event) {
      feed.take(event)
      // Buttons follow at once, not with the next token. The other pages get the event too.
      const state = session.state.get()
      if (state.kind === 'signed-in' && mayChangeRights(event, state.person)) session.receive({ type: 'changed' })
    },
    onOpen: feed.opened,
  })
  let endPolling = () => {}
  live.state.subscribe(() => {
    endPolling()
    endPolling = live.state.get() === 'reconnecting' ? feed.poll() : () => {}
  })
  followSession(session, { live, feed, queryClient })
  watch.state.subscribe(() => {
    if (watch.state.get().kind !== 'reachable') return
    live.reconnectNow()
    void queryClient.invalidateQueries()
  })
  addEventListener('offline', () => {
    live.lost()
    watch.failed('')
  })
  addEventListener('online', () => {
    watch.retryNow()
    live.reconnectNow()
  })
  restWhileHidden(live)
  return { session, api, watch, proofs, usedRecoveryCode, live, queryClient }
}

/** A hidden page frees its connection, which other pages need, and a page that is left must not keep it in the browser's cache. */
function restWhileHidden(live: LiveConnection): void {
  let cancel = () => {}
  document.addEventListener('visibilitychange', () => {
    cancel()
    if (document.visibilityState === 'visible') live.reconnectNow()
    else cancel = later(() => live.rest(), HIDDEN_MS)
  })
  addEventListener('pagehide', () => live.rest())
  addEventListener('pageshow', ({ persisted }) => persisted && live.reconnectNow())
}

/** The live stream runs while somebody is signed in; nothing of one person or namespace leaks to the next. */
function followSession(
  session: Session,
  { live, feed, queryClient }: { live: LiveConnection; feed: LiveFeed; queryClient: QueryClient },
): void {
  let owner = ''
  session.state.subscribe(() => {
    const state = session.state.get()
    const next = ownerOf(state)
    if (next === owner) return
    owner = next
    live.stop()
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'info' })
    if (!isInNamespace(state)) return
    feed.starting()
    live.start()
  })
}

/** The person and namespace that data is of; '' for nobody. */
function ownerOf(state: SessionState): string {
  return state.kind === 'signed-in' ? `${state.person.id} ${state.person.tenant}` : ''
}

/** True when there is a namespace to query; without one the server would refuse. */
export function isMember({ session }: Runtime): boolean {
  return isInNamespace(session.state.get())
}

function isInNamespace(state: SessionState): boolean {
  return state.kind === 'signed-in' && state.person.tenant !== ''
}

function later(work: () => void, delayMs: number): () => void {
  const timer = setTimeout(work, delayMs)
  return () => clearTimeout(timer)
}

/** As `deviceJobs.create.path`, which the first page does not load. */
const CHANGES_OF_MANY = '/api/device-jobs'

/**
 * Takes what the page has asked for early. The cookie exchange, removals and bulk changes are kept alive: they must arrive even when
 * the page is left.
 */
async function fetchFirst(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  if (url === auth.refreshSession.path) return takeEarlySession() ?? fetch(url, { ...init, keepalive: true })
  // It ends with the page: answers that the page waits for come first, and the page has loaded without it.
  if (url === events.stream.path) return fetch(url, { ...init, priority: 'low' })
  const mustArrive = init?.method === 'DELETE' || (init?.method === 'POST' && url === CHANGES_OF_MANY)
  if (mustArrive) return fetch(url, { ...init, keepalive: true })
  const isRead = typeof url === 'string' && (init?.method ?? 'GET') === 'GET'
  return (isRead ? await takeEarlyList(url, init?.headers) : undefined) ?? fetch(url, init)
}
