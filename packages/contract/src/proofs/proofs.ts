// The fresh proof of operations: whether a caller must have used a second factor, or without one the password, within the
// last minutes. One table names every operation, so that a new one is classified before it can be called.
import { allOperations } from '../operations.ts'
import type { Operation } from '../operation.ts'
import { ASKED } from './asked.ts'
import type { Asks, ProofRule } from './rule.ts'
import { UNASKED } from './unasked.ts'

export type { Asks, OperationId, ProofRule } from './rule.ts'

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
