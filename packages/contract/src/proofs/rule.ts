// A rule of the table of fresh proofs.
import type { operations } from '../operations.ts'

type Groups = typeof operations
/** Id of an operation, `devices.list`. */
export type OperationId = {
  [Noun in keyof Groups]: `${Noun}.${Extract<keyof Groups[Noun], string>}`
}[keyof Groups]

/**
 * Callers that are asked. API keys are not: making one takes a proof.
 * `access`: people in a namespace whose logins need a second factor.
 * `factor`: people who have a second factor, and those of `access`.
 * `everybody`: people, by their password if they have no second factor.
 * `handler`: depends on the input, or on more than who calls; the use case asks.
 * `nobody`: the call needs no proof.
 */
export type Asks = 'access' | 'factor' | 'everybody' | 'handler' | 'nobody'

export interface ProofRule {
  readonly asks: Asks
  readonly why: string
  readonly operations: readonly OperationId[]
}
