// The error type that ends a connection from inside the package: carries the typed cause and the disconnect code for
// the peer.
import type { CloseCause, CloseReasons } from './api.ts'
import { DISCONNECT_BY_APPLICATION, DISCONNECT_PROTOCOL_ERROR } from './wire/numbers.ts'
import { WireError } from './wire/reader.ts'

/** Ends the connection with `cause`; `code` is the reason code of RFC 4250 section 4.2.2. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly closeCause: CloseCause
  readonly code: number

  constructor(closeCause: CloseCause, code: number) {
    super(closeCause.message)
    this.closeCause = closeCause
    this.code = code
  }
}

/** The peer violated the protocol. */
export function protocolFault(
  reason: CloseReasons['protocol'],
  message: string,
  code = DISCONNECT_PROTOCOL_ERROR,
): Fault {
  return new Fault({ by: 'protocol', reason, message }, code)
}

/** The peer exceeded a limit of the options. */
export function limitFault(reason: CloseReasons['limit'], message: string, code = DISCONNECT_BY_APPLICATION): Fault {
  return new Fault({ by: 'limit', reason, message }, code)
}

/** The peer took too long. */
export function timeoutFault(
  reason: CloseReasons['timeout'],
  message: string,
  code = DISCONNECT_BY_APPLICATION,
): Fault {
  return new Fault({ by: 'timeout', reason, message }, code)
}

/** Converts anything thrown while a packet was handled into the fault that ends the connection. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (error instanceof WireError) return protocolFault('malformed-packet', error.message)
  // The text of an unexpected error might quote input, so it stays out of the cause.
  const kind = error instanceof Error ? error.name : 'error'
  return new Fault(
    { by: 'local', reason: 'internal-error', message: `An unexpected ${kind} ended the connection.` },
    DISCONNECT_BY_APPLICATION,
  )
}
