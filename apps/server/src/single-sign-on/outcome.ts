// Outcome of a single sign-on, and the page of the console that shows it.

/** What came of it, and the OpenID provider that people may sign out at later. */
export type Outcome = Result & { readonly provider?: string }

type Result =
  /** A one-use token for the account. */
  | { readonly kind: 'signed-in'; readonly token: string; readonly next: string }
  /** An account with the address exists: its owner has to prove to be the same person. */
  | { readonly kind: 'link'; readonly token: string; readonly next: string }
  /** Names of mapped attributes that the provider did not send, in lower case. */
  | { readonly kind: 'missing'; readonly attributes: readonly string[] }
  | { readonly kind: 'refused'; readonly why: RefusedFor }
  | { readonly kind: 'tested'; readonly passed: boolean }

/** Words of the sign-in page's address: reasons that people may know. The log has the rest. */
export type RefusedFor = 'answer' | 'request' | 'address' | 'account' | 'off'

/** Path of the console for an outcome. Existing clients know `/login`. */
export function pageOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'signed-in':
      return `/login?${withNext(outcome)}`
    case 'link':
      return `/sign-in/link?${withNext(outcome)}`
    case 'missing':
      return `/login?missing_assertions=${outcome.attributes.map((name) => encodeURIComponent(name)).join(',')}`
    case 'refused':
      return `/login?sso=${outcome.why}`
    case 'tested':
      return `/instance/sign-in?test=${outcome.passed ? 'passed' : 'failed'}`
  }
}

function withNext({ token, next, provider }: { token: string; next: string; provider?: string }): string {
  return new URLSearchParams({
    token,
    ...(next === '' ? {} : { redirect: next }),
    ...(provider === undefined ? {} : { provider }),
  }).toString()
}
