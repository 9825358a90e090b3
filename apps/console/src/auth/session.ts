// Who is signed in. The access token lives in this closure only, never in storage; the refresh cookie is HttpOnly.
// One refresh at a time: within a tab by one shared promise, across tabs by a lock, because the server ends a whole
// family of sessions when it sees a rotated cookie a second time.
import { ApiError, type createClient } from '@bowline/contract/client'
import { auth } from '@bowline/contract/operations/auth'
import type { UserAuth } from '@bowline/contract/schemas/user'
import { patience } from '../platform/patience.ts'
import { createStore, type Store } from '../platform/store.ts'
import { tokenLifetimeMs } from './token.ts'

export type Person = Omit<UserAuth, 'token'>

export type SessionState =
  /** Nobody has asked the server yet. */
  | { readonly kind: 'unknown' }
  /** `expired`: there was a session in this tab and the server ended it. */
  | { readonly kind: 'signed-out'; readonly expired: boolean }
  | { readonly kind: 'signed-in'; readonly person: Person }

/** What one tab tells the others. */
export type TabMessage =
  | { readonly type: 'signed-out' }
  | { readonly type: 'signed-in'; readonly id: string }
  /** Same person, but another namespace, role or account data. */
  | { readonly type: 'changed' }

export interface SessionParts {
  readonly client: Pick<ReturnType<typeof createClient>, 'call'>
  /** Runs `work` while no other tab runs its own. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>
  /** To the other tabs. */
  readonly tell: (message: TabMessage) => void
  /** Milliseconds, monotonic. */
  readonly now: () => number
}

export interface Session {
  readonly state: Store<SessionState>
  /** The current access token, refreshed first when it is about to end; undefined when nobody is signed in. */
  token(): Promise<string | undefined>
  /**
   * Gets a new token with the refresh cookie, unless the token has already changed from `stale`.
   * @throws what the call threw when the server did not decide (unreachable, 5xx): the session is left as it was
   */
  refresh(stale: string | undefined): Promise<SessionState>
  /**
   * Gets a new token because what the current one says is out of date: the person moved to another namespace, left one,
   * got another role. The other tabs follow.
   * @throws as `refresh`
   */
  renew(): Promise<SessionState>
  /** @throws {ApiError} on refused credentials, with `X-Account-Lockout` when locked out */
  signIn(credentials: { username: string; password: string }): Promise<void>
  /** @throws when the server could not be told; the person is still signed in then */
  signOut(): Promise<void>
  /** Ends every session and token of the person, this one too. @throws as `signOut` */
  signOutEverywhere(): Promise<void>
  /** A message of another tab. */
  hear(message: TabMessage): void
}

/** A token is replaced this long before it ends, so that no call travels with one that ends on the way. */
const REFRESH_EARLY_MS = 60_000

/** Keeps the session of this tab. */
export function createSession({ client, exclusively, tell, now }: SessionParts): Session {
  const state = createStore<SessionState>({ kind: 'unknown' })
  let token: string | undefined
  let refreshAtMs = 0
  let refreshing: Promise<SessionState> | undefined

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
      return adopt((await client.call(auth.refreshSession, { signal: patience() })).body)
    } catch (error) {
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
        return forget(state.get().kind === 'signed-in')
      }
      throw error
    }
  }

  function refresh(stale: string | undefined): Promise<SessionState> {
    if (token !== undefined && token !== stale) return Promise.resolve(state.get())
    refreshing ??= exclusively(exchangeCookie).finally(() => (refreshing = undefined))
    return refreshing
  }

  async function currentToken(): Promise<string | undefined> {
    if (token !== undefined && now() >= refreshAtMs) await refresh(token)
    return token
  }

  return {
    state,
    refresh,
    token: currentToken,
    async renew() {
      // One that is under way may have been answered before the change.
      await refreshing?.catch(() => undefined)
      const next = await refresh(token)
      tell({ type: 'changed' })
      return next
    },
    async signIn(credentials) {
      const { body } = await exclusively(() =>
        client.call(auth.createSession, { body: credentials, signal: patience() }),
      )
      adopt(body)
      tell({ type: 'signed-in', id: body.id })
    },
    async signOut() {
      await exclusively(() => client.call(auth.deleteSession, { signal: patience() }))
      forget(false)
      tell({ type: 'signed-out' })
    },
    async signOutEverywhere() {
      const headers = { authorization: `Bearer ${(await currentToken()) ?? ''}` }
      await exclusively(() => client.call(auth.endSessions, { headers, signal: patience() }))
      forget(false)
      tell({ type: 'signed-out' })
    },
    hear(message) {
      const current = state.get()
      if (message.type === 'signed-out') forget(false)
      else if (message.type === 'changed') refresh(token).catch(() => undefined)
      else if (current.kind === 'signed-out' || (current.kind === 'signed-in' && current.person.id !== message.id)) {
        // Another person's cookie is in the jar now, or somebody signed in while this tab showed the sign-in page. When
        // the server cannot be asked at this moment the next call will ask it.
        refresh(token).catch(() => undefined)
      }
    },
  }
}
