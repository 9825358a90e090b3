// The result of checking a credential.
import type { Account } from './account.ts'
import type { Starter } from '../process/start.ts'

export type Denial = 'credential' | 'unknown-user' | 'locked' | 'expired' | 'no-password' | 'busy' | 'unsupported'
export type Verdict =
  | { readonly account: Account; /** Where the system opens one. */ readonly session?: DeviceSession }
  | { readonly denied: Denial; /** Why, for the person; '' or missing: they learn nothing. */ readonly told?: string }

/** The system's session, open for as long as the login lives. */
export interface DeviceSession {
  /** Environment of the user's processes. */
  readonly environment: readonly (readonly [name: string, value: string])[]
  /** Message for the user at the beginning of a shell; '' for none. */
  readonly told: string
  /** Why the system has none open for this login, where its rules permit that. */
  readonly problem: string | undefined
  /** Starts the user's processes inside it. */
  readonly starter: Starter
  /** Called once, at the end of the login. */
  close(): void
}
