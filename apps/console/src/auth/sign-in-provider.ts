// The OpenID provider of the last sign-in in this browser, so that whoever signs out can sign out there as well. It is no
// secret: the sign-in page lists the providers.
const SIGNED_IN = 'bowline-provider'
const SIGNED_OUT = 'bowline-provider-left'

/** Notes that somebody has signed in. @param provider id of the OpenID provider; undefined for another way */
export function noteProvider(provider: string | undefined, stores = browserStores()): void {
  stores?.shared.setItem(SIGNED_IN, provider ?? '')
  stores?.tab.removeItem(SIGNED_OUT)
}

/** Notes that the person has signed out: this tab may offer to sign out at the provider. */
export function noteSignOut(stores = browserStores()): void {
  stores?.tab.setItem(SIGNED_OUT, stores.shared.getItem(SIGNED_IN) ?? '')
  stores?.shared.removeItem(SIGNED_IN)
}

/** Id of the provider that the person who has just signed out came by; '' if there is none. */
export function leftProvider(stores = browserStores()): string {
  return stores?.tab.getItem(SIGNED_OUT) ?? ''
}

/** Forgets it: the person signs out there, or does not want to. */
export function forgetLeftProvider(stores = browserStores()): void {
  stores?.tab.removeItem(SIGNED_OUT)
}

interface Stores {
  /** Storage that all tabs share. */
  readonly shared: Storage
  readonly tab: Storage
}

/** Undefined where the browser allows none. */
function browserStores(): Stores | undefined {
  try {
    return { shared: localStorage, tab: sessionStorage }
  } catch {
    return undefined
  }
}
