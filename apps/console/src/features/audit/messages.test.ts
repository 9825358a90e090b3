import { expect, it } from 'vitest'
import { AUDIT_NOUNS, auditMessages } from './messages.ts'

/** Of the instance: these are in the log of no namespace. */
const OF_THE_INSTANCE = ['account', 'audit', 'limit']

it('lets people choose the entries of every noun whose actions have a name', () => {
  const named = new Set(Object.keys(auditMessages.actions).map((action) => action.split('.', 1)[0] ?? ''))
  const missing = [...named].filter((noun) => !AUDIT_NOUNS.includes(noun) && !OF_THE_INSTANCE.includes(noun))
  expect(missing).toEqual([])
})
