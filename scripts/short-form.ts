// Short form of the long tests: with CI=true a part of them runs, chosen by the commit, so that a few commits in a row run
// all. Without CI=true, and with E2E_ALL=true, everything runs.
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
/** E2E_ALL=true asks for everything, with sizes that take their time. */
export const isLong = process.env['E2E_ALL'] === 'true'
const isShort = process.env['CI'] === 'true' && !isLong
/** Chooses the part; E2E_SEED repeats that of another run. */
const seed = isShort ? Number(process.env['E2E_SEED'] ?? seedOfCommit()) : 0

/** For the name of a suite in its short form: what repeats it. */
export const repeatedBy = isShort ? ` (E2E_SEED=${seed})` : ''

/**
 * @param parts of which one runs; neighbours are alike, so each part has rows of every kind
 * @returns the rows of this run
 */
export function shortForm<T>(rows: readonly T[], parts: number): readonly T[] {
  return isShort ? rows.filter((_, i) => i % parts === seed % parts) : rows
}

function seedOfCommit(): number {
  return Number.parseInt(execFileSync('git', ['rev-parse', '--short=6', 'HEAD'], { cwd: root, encoding: 'utf8' }), 16)
}
