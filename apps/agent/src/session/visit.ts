// A user's presence on a terminal of the device: their greeting, and the device's login records.
import type { SessionOpen } from '@bowline/link/stream-messages'
import type { Login } from '../login/logins.ts'
import { lastLogin, recordLogin } from '../native/login-records.ts'
import { greeting, isHushed } from './greeting.ts'

/** For one session; only those with a terminal begin. */
export class Visit {
  readonly #login: Login
  readonly #request: SessionOpen
  #end: (() => void) | undefined
  #greeting: { text: Uint8Array; quiet: boolean } | undefined

  constructor(login: Login, request: SessionOpen) {
    this.#login = login
    this.#request = request
  }

  /** A shell's greeting, once the visit has begun. */
  get greeting(): { readonly text: Uint8Array; readonly quiet: boolean } | undefined {
    return this.#greeting
  }

  /** @param terminal its path */
  begin(terminal: string): void {
    const { account, deviceSession } = this.#login
    const { client, run } = this.#request
    const isRoot = process.geteuid?.() === 0
    // Read before this visit becomes the last one.
    const last = isRoot ? lastLogin(account.uid) : undefined
    if (isRoot) {
      const login = { terminal, user: account.name, uid: account.uid, address: client.address }
      const record = recordLogin(login, new Date())
      this.#end = () => record(new Date())
    }
    if (run.type !== 'shell') return
    const quiet = isHushed(account)
    // Modules' messages are shown once per login; a second shell shows none.
    const told = deviceSession && this.#login.told.splice(0).join('\n')
    this.#greeting = { text: quiet ? new Uint8Array() : greeting(told, last), quiet }
  }

  /** Runs `act`; the visit ends when it throws. */
  guard<T>(act: () => T): T {
    try {
      return act()
    } catch (error) {
      this.end()
      throw error
    }
  }

  end(): void {
    this.#end?.()
    this.#end = undefined
  }
}
