// What a transport needs, and what it reports.
import type { Clock } from '@bowline/base/clock'
import type { SshLimits } from '../api.ts'
import type { Fault } from '../fault.ts'
import type { ClientRole, ServerRole } from './role.ts'

export interface TransportSetup {
  /** Software part of our identification. */
  readonly software: string
  readonly role: ServerRole | ClientRole
  readonly limits: SshLimits
  readonly clock: Clock
}

export interface TransportEvents {
  /** A service request or any message from 50 up. The callee owns the memory. */
  message(type: number, payload: Buffer, sequence: number): void
  /** Channels may send again after {@link Transport.writable} was false. */
  drain(): void
  /** The connection must end; called for failures outside of `receive`, which throws. */
  fail(fault: Fault): void
}
