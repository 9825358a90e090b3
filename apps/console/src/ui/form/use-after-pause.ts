// What is typed, after a pause in typing: something typed quickly sends one request.
import { useEffect, useState } from 'react'

/**
 * @param value as it is typed; compared by identity
 * @param ms milliseconds without a change
 */
export function useAfterPause<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
