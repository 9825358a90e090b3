import { operations } from '@bowline/contract/operations'
import type { Session } from '@bowline/contract/schemas/session'
import type { Client } from './server.ts'

/**
 * The session that began last, of the hundred that were seen last. The list itself begins with the one that was seen
 * last: that may be an older one which still runs, or whose end was written a moment later.
 */
export async function newestSession({ call }: Client): Promise<Session | undefined> {
  const { body } = await call(operations.sessions.list, { query: { per_page: '100' } })
  return body.toSorted((one, other) => Date.parse(other.started_at) - Date.parse(one.started_at))[0]
}
