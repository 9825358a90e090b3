// Errors of failed queries stay visible during a retry: TanStack Query resets such a query to pending, so a page that is
// refetched in the background would alternate between placeholders and the error.
import type { Query, QueryCache } from '@tanstack/react-query'

/** Queries without data keep the error of their last fetch until one succeeds. @returns stop */
export function keepErrors(cache: QueryCache): () => void {
  const errors = new WeakMap<Query, Error>()
  return cache.subscribe((event) => {
    if (event.type !== 'updated') return
    const { query, action } = event
    if (action.type === 'error' && query.state.error) errors.set(query, query.state.error)
    else if (action.type === 'success') errors.delete(query)
    else if (action.type === 'fetch' && query.state.status === 'pending') {
      const error = errors.get(query)
      if (error) query.setState({ status: 'error', error })
    }
  })
}
