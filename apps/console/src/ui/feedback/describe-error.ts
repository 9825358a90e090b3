// Describes an error for people: a cause and, when the server answered, the request id to find it in the log.
import { ApiError } from '@bowline/contract/client'
import { isTimeout, isUnreachable } from '../../auth/connectivity.ts'
import { PageNotLoaded } from '../../platform/page-files.ts'
import { serverText } from '../../platform/language/server-text.ts'
import { uiMessages } from '../messages.ts'

export interface Described {
  readonly cause: string
  /** '' when the server did not answer. */
  readonly requestId: string
}

export function describeError(error: unknown): Described {
  if (error instanceof ApiError) return { cause: serverText(error.message), requestId: error.requestId }
  // The component that shows it states the cause.
  if (error instanceof PageNotLoaded && error.reason === 'updated') return { cause: '', requestId: '' }
  if (isTimeout(error)) return { cause: uiMessages.timedOut, requestId: '' }
  if (error instanceof PageNotLoaded || isUnreachable(error)) return { cause: uiMessages.unreachable, requestId: '' }
  return { cause: error instanceof Error ? error.message : String(error), requestId: '' }
}
