// Failures as OpenSSH's server reports them: clients rely on its codes and messages.
import type { Buffer } from '#buffer'
import { STATUS, type StatusCode } from './protocol.ts'
import { encodeReply } from './replies.ts'

const MESSAGES: Readonly<Record<StatusCode, string>> = {
  [STATUS.ok]: 'Success',
  [STATUS.eof]: 'End of file',
  [STATUS.noSuchFile]: 'No such file',
  [STATUS.permissionDenied]: 'Permission denied',
  [STATUS.failure]: 'Failure',
  [STATUS.badMessage]: 'Bad message',
  [STATUS.noConnection]: 'No connection',
  [STATUS.connectionLost]: 'Connection lost',
  [STATUS.unsupported]: 'Operation unsupported',
}

/** A request that cannot be done, for a reason other than a system error. */
export class Refusal extends Error {
  readonly status: StatusCode
  constructor(status: StatusCode) {
    super(MESSAGES[status])
    this.status = status
  }
}

/** The status packet. */
export function status(id: number, code: StatusCode): Buffer {
  return encodeReply({ type: 'status', id, code, message: MESSAGES[code], language: '' })
}
