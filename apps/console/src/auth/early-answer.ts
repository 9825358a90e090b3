// The first answers of a page: public/early.js asks for them while the browser still loads the console.
import { readSetting, writeSetting } from '../platform/local-setting.ts'

/** Of the operation `refreshSession`, with the method POST. */
export const REFRESH_PATH = '/api/auth/session/refresh'

const FIRST_LIST = 'bowline.first-list'
const LIST = /^\/api(\/(?:devices|containers|sessions))\?/

/** An answer that no page has taken by then is left. */
const FRESH_MS = 10_000

/** What public/early.js has asked for. */
export interface Early {
  /** Undefined where there is no session for sure. */
  readonly session: Promise<Response> | undefined
  readonly list: { readonly url: string; readonly asked: Promise<EarlyList | undefined> } | undefined
}

interface EarlyList {
  /** It was asked for with this one. */
  readonly token: string
  readonly answer: Response
}

declare global {
  var bowlineEarly: Early | undefined
}

let isSessionTaken = false
let isListKnown = false

/** The answer to the first refresh, once; undefined when there is none or it has become old. */
export function takeEarlySession(): Promise<Response> | undefined {
  if (isSessionTaken || performance.now() > FRESH_MS) return undefined
  isSessionTaken = true
  return globalThis.bowlineEarly?.session
}

/**
 * The answer to the first list of a page that shows one, as /devices; undefined when there is none for it. Remembers which
 * one this was, for the next load of the same address.
 * @param headers of the request: the answer is for the same token only
 */
export async function takeEarlyList(url: string, headers: HeadersInit | undefined): Promise<Response | undefined> {
  if (isListKnown || LIST.exec(url)?.[1] !== location.pathname) return undefined
  isListKnown = true
  const known = JSON.stringify({ address: location.pathname + location.search, url })
  if (readSetting(FIRST_LIST) !== known) writeSetting(FIRST_LIST, known)
  const list = globalThis.bowlineEarly?.list
  if (list?.url !== url || performance.now() > FRESH_MS) return undefined
  const early = await list.asked.catch(() => undefined)
  return new Headers(headers).get('authorization') === `Bearer ${early?.token}` ? early?.answer : undefined
}

/** For tests: as a page that has just been loaded. */
export function forgetEarly(): void {
  isSessionTaken = false
  isListKnown = false
}
