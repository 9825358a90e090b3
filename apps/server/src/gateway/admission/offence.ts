// Classifies how an unauthenticated connection ended, for its source's penalty.
import type { CloseCause } from '@bowline/ssh/api'
import type { Offence } from './admission.ts'

/** Reasons of clients that speak another protocol or support other algorithms. */
const HARMLESS: readonly string[] = [
  'bad-ident',
  'no-common-algorithm',
  'unknown-service',
  'user-changed',
  'auth-attempts',
]

/** @param guessed a password or an answer was wrong; clients offer every key they have, so a key is no guess */
export function offenceOf(cause: CloseCause, guessed: boolean): Offence {
  const brokeRule = cause.by === 'protocol' || cause.by === 'limit'
  if (brokeRule && !HARMLESS.includes(cause.reason)) return 'abuse'
  return guessed ? 'auth-failed' : 'no-auth'
}
