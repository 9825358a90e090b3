import { useCallback, useLayoutEffect, useRef } from 'react'

/**
 * A handler that stays the same between renders and calls the latest one, for parts that render again only when their
 * properties change. Not for calls while rendering.
 */
export function useHandler<Args extends unknown[], Result>(
  handler: (...args: Args) => Result,
): (...args: Args) => Result {
  const latest = useRef(handler)
  useLayoutEffect(() => {
    latest.current = handler
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}
