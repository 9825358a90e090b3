// The fresh proof of operations: whether a caller must have used a second factor, or without one the password, within the
// last minutes. One table names every operation, so that a new one is classified before it can be called.
import { allOperations, operations } from '../operations.ts'
import type { Operation } from '../operation.ts'
import { ASKED } from './asked.ts'
import { UNASKED } from './unasked.ts'

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

const RULES: readonly ProofRule[] = [...ASKED, ...UNASKED]
const declared = new Map(allOperations().map(({ id, operation }) => [operation, id]))
const byId = new Map(RULES.flatMap((rule) => rule.operations.map((id): [string, ProofRule] => [id, rule])))

/** All rules that name an operation; more or less than one is a mistake. */
export function proofRulesOf(id: string): ProofRule[] {
  return RULES.filter((rule) => rule.operations.some((named) => named === id))
}

/** Callers of an operation that are asked for a fresh proof. @throws {Error} for one that no rule names */
export function asksOf(operation: Operation): Asks {
  const id = declared.get(operation) ?? `${operation.method} ${operation.path}`
  const rule = byId.get(id)
  if (!rule) throw new Error(`No rule of packages/contract/src/proofs names ${id}.`)
  return rule.asks
}
