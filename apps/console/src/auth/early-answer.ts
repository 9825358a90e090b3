// The first answer of every page is the token for the refresh cookie. The entry of the page asks for it, while the browser
// still loads the rest of the console.
import { exclusively } from './browser.ts'

/** Of the operation `refreshSession`: the entry must not load the contract for it. */
export const REFRESH_PATH = '/api/auth/session/refresh'

/** An answer that no page has taken by then is left. */
const FRESH_MS = 10_000

let early: { readonly answer: Promise<Response>; readonly untilMs: number } | undefined

/** Asks, once, under the lock of the session. The answer still arrives when the page is left: it sets a new cookie. */
export function askEarly(): void {
  const answer = exclusively(() => fetch(REFRESH_PATH, { method: 'POST', keepalive: true }))
  // Whoever takes it handles that.
  answer.catch(() => undefined)
  early = { answer, untilMs: performance.now() + FRESH_MS }
}

/** The answer to the first request, once; undefined when there is none or it has become old. */
export function takeEarly(): Promise<Response> | undefined {
  const taken = early
  early = undefined
  return taken && performance.now() < taken.untilMs ? taken.answer : undefined
}
