// Statuses of system errors.
import { STATUS, type StatusCode } from '@bowline/sftp/protocol'
import { Refusal } from '@bowline/sftp/status'

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
