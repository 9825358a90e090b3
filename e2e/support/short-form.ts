// Short form of long boards: with CI=true one part of the rows, chosen by the commit, so that a few commits in a row cover
// all of them. Without CI=true, and with E2E_ALL=true, every row runs.
import { execFileSync } from 'node:child_process'
import { root } from './product.ts'

/** Which part runs; E2E_SEED repeats that of another run. */
const seed = Number(process.env['E2E_SEED'] ?? seedOfCommit())
const isShort = process.env['CI'] === 'true' && process.env['E2E_ALL'] !== 'true'

/**
 * @param parts of which one runs; neighbours are alike, so each part has rows of every kind
 * @returns the rows of this run
 */
export function shortForm<T>(rows: readonly T[], parts: number): readonly T[] {
  return isShort ? rows.filter((_, i) => i % parts === seed % parts) : rows
}

/** For the name of a suite in its short form: what repeats it. */
export const repeatedBy = isShort ? ` (E2E_SEED=${seed})` : ''

function seedOfCommit(): number {
  return Number.parseInt(execFileSync('git', ['rev-parse', '--short=6', 'HEAD'], { cwd: root, encoding: 'utf8' }), 16)
}
