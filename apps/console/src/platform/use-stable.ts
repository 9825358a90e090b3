import { replaceEqualDeep } from '@tanstack/react-query'
import { useState } from 'react'

/** The same object as long as its contents are the same, for parts that render again only when their properties change. */
export function useStable<Value>(value: Value): Value {
  const [kept, setKept] = useState(value)
  const next = replaceEqualDeep(kept, value)
  if (next !== kept) setKept(() => next)
  return next
}
