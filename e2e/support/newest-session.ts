import { operations } from '@bowline/contract/operations'
import type { Session } from '@bowline/contract/schemas/session'
import type { Client } from './server.ts'

/**
 * The most recently started of the hundred sessions seen last. The list's own first row is the one seen last,
 * which may be an older session that still runs, or whose end was written a moment later.
 */
export async function newestSession({ call }: Client): Promise<Session | undefined> {
  const { body } = await call(operations.sessions.list, { query: { per_page: '100' } })
  return body.toSorted((one, other) => Date.parse(other.started_at) - Date.parse(one.started_at))[0]
}
