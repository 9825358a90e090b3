// What a device finds of a credential.
import type { Account } from './account.ts'
import type { Starter } from '../process/start.ts'

export type Denial = 'credential' | 'unknown-user' | 'locked' | 'expired' | 'no-password' | 'busy' | 'unsupported'
export type Verdict =
  | { readonly account: Account; /** Where the system opens one. */ readonly session?: DeviceSession }
  | { readonly denied: Denial; /** Why, for the person; '' or missing: they learn nothing. */ readonly told?: string }

/** What the system keeps open for as long as the login lives. */
export interface DeviceSession {
  /** For what the person runs. */
  readonly environment: readonly (readonly [name: string, value: string])[]
  /** For the person, at the beginning of a shell; '' for nothing. */
  readonly told: string
  /** Why the system has none open for this login, where its rules let that pass. */
  readonly problem: string | undefined
  /** Starts what the person runs inside it. */
  readonly starter: Starter
  /** Called once, at the end of the login. */
  close(): void
}
