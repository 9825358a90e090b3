// A list answer as cached.
import type { Answer } from '@bowline/contract/client'
import type { ListPage } from './apply-events.ts'

/** Takes the rows, the total and the server's time (its `Date` header) from an answer. */
export function listPage<T>(answer: Pick<Answer<never>, 'headers' | 'total'> & { body: T[] }): ListPage<T> {
  const answeredAt = Date.parse(answer.headers.get('date') ?? '')
  return { items: answer.body, total: answer.total, answeredAt: Number.isNaN(answeredAt) ? Date.now() : answeredAt }
}
