// The console's API client: sends the current token, retries once after a 401, and once more when the server asks for a
// fresh proof and the person gives it. Types come from the contract's operations.
import { ApiError, type Answer, type createClient } from '@bowline/contract/client'
import type { CallInput, Operation } from '@bowline/contract/operation'
import { callTimeout } from '../platform/call-timeout.ts'
import type { ProofReason } from './proof-requests.ts'
import type { Session } from './session.ts'

type Client = ReturnType<typeof createClient>
type Extras = { signal?: AbortSignal; headers?: Record<string, string> }

export interface Api {
  /** @throws {ApiError} on any non-success status; TypeError when the server cannot be reached */
  call<O extends Operation>(operation: O, input: CallInput<O> & Extras): Promise<Answer<O>>
  /** Like `call`, for streams: returns the response. */
  open<O extends Operation>(operation: O, input: CallInput<O> & Extras): Promise<Response>
}

/** Paths of calls that read across namespaces. */
const SERVER_WIDE = /^\/api\/(instance\/|mails$)/

/**
 * Adds the session's token to a client that sends no credentials of its own.
 * @param prove asks the person for a fresh proof before a sensitive read or change; false when they decline
 */
export function createApi(
  client: Client,
  session: Session,
  prove: (reason: ProofReason) => Promise<boolean> = declined,
): Api {
  async function authorized<O extends Operation, R>(
    input: CallInput<O> & Extras,
    send: (input: CallInput<O> & Extras) => Promise<R>,
  ): Promise<R> {
    const token = await session.token()
    try {
      return await send(withToken(input, token))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      const state = await session.refresh(token)
      if (state.kind !== 'signed-in') throw error
      return send(withToken(input, await session.token()))
    }
  }

  async function proven<R>({ method, path }: Operation, send: () => Promise<R>): Promise<R> {
    try {
      return await send()
    } catch (error) {
      const reason = method === 'GET' && SERVER_WIDE.test(path) ? 'read' : 'change'
      const isAsked = error instanceof ApiError && error.code === 'FRESH_PROOF_REQUIRED'
      if (!isAsked || !(await prove(reason))) throw error
      return send()
    }
  }

  return {
    call: (operation, input) =>
      proven(operation, () =>
        authorized(input, (sent) =>
          client.call(operation, { ...sent, signal: callTimeout(sent.signal, operation.method) }),
        ),
      ),
    open: (operation, input) => proven(operation, () => authorized(input, (sent) => client.open(operation, sent))),
  }
}

function withToken<T extends Extras>(input: T, token: string | undefined): T {
  return token === undefined ? input : { ...input, headers: { ...input.headers, authorization: `Bearer ${token}` } }
}

function declined(): Promise<boolean> {
  return Promise.resolve(false)
}
