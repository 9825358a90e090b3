// Failures as OpenSSH's server reports them: clients rely on its codes and messages.
import { encodeReply } from '@bowline/sftp/replies'
import { STATUS, type StatusCode } from '@bowline/sftp/protocol'

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

const CODES: Readonly<Record<string, StatusCode>> = {
  ENOENT: STATUS.noSuchFile,
  ENOTDIR: STATUS.noSuchFile,
  EBADF: STATUS.noSuchFile,
  ELOOP: STATUS.noSuchFile,
  EPERM: STATUS.permissionDenied,
  EACCES: STATUS.permissionDenied,
  EFAULT: STATUS.permissionDenied,
  ENAMETOOLONG: STATUS.badMessage,
  EINVAL: STATUS.badMessage,
  // Node's code for a path with a NUL byte.
  ERR_INVALID_ARG_VALUE: STATUS.badMessage,
  ERR_OUT_OF_RANGE: STATUS.badMessage,
  ENOSYS: STATUS.unsupported,
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

/**
 * Maps a failed request to its status code.
 * @throws errors that are neither a refusal nor a system error: a bug in this program
 */
export function statusOf(error: unknown): StatusCode {
  if (error instanceof Refusal) return error.status
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return CODES[error.code] ?? STATUS.failure
  }
  throw error
}
