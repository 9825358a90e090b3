// The signed-in state of this tab. The access token lives in this closure only, never in storage; the refresh cookie is
// HttpOnly. Refreshes never overlap: one shared promise within a tab, a lock across tabs, because the server revokes
// the whole session family when it sees a rotated cookie again.
import { ApiError, type createClient } from '@bowline/contract/client'
import { auth } from '@bowline/contract/operations/auth'
import type { UserAuth } from '@bowline/contract/schemas/user'
import { callTimeout } from '../platform/call-timeout.ts'
import { createStore, type Store } from '../platform/store.ts'
import { type SecondStep, secondStepOf } from './second-step.ts'
import type { SessionTrace } from './session-trace.ts'
import { tokenLifetimeMs } from './token.ts'

export type Person = Omit<UserAuth, 'token'>

export type SessionState =
  /** The server has not been asked yet. */
  | { readonly kind: 'unknown' }
  /** `expired`: there was a session in this tab and the server ended it. */
  | { readonly kind: 'signed-out'; readonly expired: boolean }
  | { readonly kind: 'signed-in'; readonly person: Person }

/** A message between tabs. */
export type TabMessage =
  | { readonly type: 'signed-out' }
  | { readonly type: 'signed-in'; readonly id: string }
  /** Same person, but the namespace, role or account data changed. */
  | { readonly type: 'changed' }

export interface SessionParts {
  readonly client: Pick<ReturnType<typeof createClient>, 'call'>
  /** Runs `work` under a lock shared with the other tabs. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>
  /** Sends to the other tabs. */
  readonly broadcast: (message: TabMessage) => void
  /** Milliseconds, monotonic. */
  readonly now: () => number
  readonly trace: SessionTrace
}

export interface Session {
  readonly state: Store<SessionState>
  /** The current access token, refreshed first when it is about to expire; undefined when nobody is signed in. */
  token(): Promise<string | undefined>
  /**
   * Gets a new token with the refresh cookie, unless the token has already changed from `stale`, or this browser has no
   * session for sure.
   * @throws the call's error when the server did not decide (unreachable, 5xx): the session is left as it was
   */
  refresh(stale: string | undefined): Promise<SessionState>
  /**
   * Gets a new token because the claims of the current one are out of date: the person switched or left a namespace, or
   * their role changed. The other tabs follow.
   * @throws as `refresh`
   */
  renew(): Promise<SessionState>
  /** @throws {ApiError} when the credentials are refused, with `X-Account-Lockout` when locked out */
  signIn(credentials: { username: string; password: string }): Promise<void>
  /**
   * Starts a session by another call that sets the refresh cookie, such as the second step of a sign-in.
   * @throws the call's error
   */
  enter(start: (client: SessionParts['client']) => Promise<UserAuth>): Promise<void>
  /** The last sign-in that waits for its second step, once: for the page that asks for it. */
  takeSecondStep(): SecondStep | undefined
  /** @throws when the request fails; the person is still signed in then */
  signOut(): Promise<void>
  /** Revokes every session and token of the person, this one included. @throws as `signOut` */
  signOutEverywhere(): Promise<void>
  /** Handles a message of another tab. */
  receive(message: TabMessage): void
}

/** Tokens are replaced this long before they expire, so that none expires in flight. */
const REFRESH_EARLY_MS = 60_000

/** Creates the session of this tab. */
export function createSession({ client, exclusively, broadcast, now, trace }: SessionParts): Session {
  const state = createStore<SessionState>({ kind: 'unknown' })
  let token: string | undefined
  let refreshAtMs = 0
  let refreshing: Promise<SessionState> | undefined
  let secondStep: SecondStep | undefined

  function adopt({ token: next, ...person }: UserAuth): SessionState {
    token = next
    const lifetimeMs = tokenLifetimeMs(next)
    refreshAtMs = now() + lifetimeMs - Math.min(REFRESH_EARLY_MS, lifetimeMs / 2)
    const before = state.get()
    const same = before.kind === 'signed-in' && JSON.stringify(before.person) === JSON.stringify(person)
    if (!same) state.set({ kind: 'signed-in', person })
    return state.get()
  }

  function forget(expired: boolean): SessionState {
    token = undefined
    const before = state.get()
    if (before.kind !== 'signed-out') state.set({ kind: 'signed-out', expired })
    return state.get()
  }

  async function exchangeCookie(): Promise<SessionState> {
    try {
      const { body } = await client.call(auth.refreshSession, { signal: callTimeout() })
      trace.note(true)
      return adopt(body)
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) trace.note(false)
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
        return forget(state.get().kind === 'signed-in')
      }
      throw error
    }
  }

  function refresh(stale: string | undefined): Promise<SessionState> {
    if (token === undefined && !refreshing && !trace.isLikely()) return Promise.resolve(forget(false))
    return ask(stale)
  }

  function ask(stale: string | undefined): Promise<SessionState> {
    if (token !== undefined && token !== stale) return Promise.resolve(state.get())
    refreshing ??= exclusively(exchangeCookie).finally(() => (refreshing = undefined))
    return refreshing
  }

  /** A refresh in flight may have been answered before whatever has changed. */
  function refreshAnew(): Promise<SessionState> {
    const again = (): Promise<SessionState> => refresh(token)
    return refreshing ? refreshing.then(again, again) : again()
  }

  async function currentToken(): Promise<string | undefined> {
    if (token !== undefined && now() >= refreshAtMs) await refresh(token)
    return token
  }

  async function enter(start: (client: SessionParts['client']) => Promise<UserAuth>): Promise<void> {
    secondStep = undefined
    try {
      const auth = await exclusively(async () => {
        const entered = await start(client)
        trace.note(true)
        return entered
      })
      adopt(auth)
      broadcast({ type: 'signed-in', id: auth.id })
    } catch (error) {
      secondStep = secondStepOf(error)
      throw error
    }
  }

  /** Clears the trace within the lock: another tab's message arrives later and must not clear that of a newer sign-in. */
  async function leave(end: () => Promise<unknown>): Promise<void> {
    await exclusively(async () => {
      await end()
      trace.note(false)
    })
    forget(false)
    broadcast({ type: 'signed-out' })
  }

  return {
    state,
    refresh,
    enter,
    takeSecondStep() {
      const step = secondStep
      secondStep = undefined
      return step
    },
    token: currentToken,
    async renew() {
      const next = await refreshAnew()
      broadcast({ type: 'changed' })
      return next
    },
    signIn: (credentials) =>
      enter(async () => (await client.call(auth.createSession, { body: credentials, signal: callTimeout() })).body),
    signOut: () => leave(() => client.call(auth.deleteSession, { signal: callTimeout() })),
    async signOutEverywhere() {
      const headers = { authorization: `Bearer ${(await currentToken()) ?? ''}` }
      await leave(() => client.call(auth.endSessions, { headers, signal: callTimeout() }))
    },
    receive(message) {
      const current = state.get()
      if (message.type === 'signed-out') forget(false)
      else if (message.type === 'changed') refreshAnew().catch(() => undefined)
      else if (current.kind === 'signed-out' || (current.kind === 'signed-in' && current.person.id !== message.id)) {
        // The cookie now belongs to another person, or somebody signed in while this tab showed the sign-in page. If
        // the server cannot be reached now, the next call asks again. What that tab has stored may arrive after this.
        ask(token).catch(() => undefined)
      }
    },
  }
}
