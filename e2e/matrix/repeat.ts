// Runs rows many times, several at once, first with a plain sshd and then through Bowline, and counts successes. Finds
// concurrent runs that disturb each other, which one run of each row cannot show.
import { outcomeOf } from './board.ts'
import type { Outcome, Row, Site } from './row.ts'
import type { SiteSource } from './sites.ts'

export interface Tally {
  /** Runs whose result equals the most common result of sshd. */
  readonly ok: number
  /** The first deviating result. */
  readonly firstError?: string
}

export interface Repeated {
  readonly row: Row
  readonly sshd: Tally
  readonly bowline: Tally
}

export interface HowOften {
  readonly times: number
  /** At most the number of accounts that the sites were started with. */
  readonly atOnce: number
  /** Seed that shuffles runs of different rows; default: one row after the other. */
  readonly seed?: number
}

const CONTEXT_CHARACTERS = 100

type Run = { readonly row: Row } & ({ readonly outcome: string } | { readonly error: string })

/** Runs each row that many times on both sites. A row whose programs are missing fails on both. */
export async function repeat(rows: readonly Row[], sites: SiteSource, how: HowOften): Promise<Repeated[]> {
  const inOrder = rows.flatMap((row) => Array.from({ length: how.times }, () => row))
  const orders = how.seed === undefined ? inOrder : shuffled(inOrder, how.seed)
  const sshd = await runAll(orders, sites, 'sshd', how.atOnce)
  const bowline = await runAll(orders, sites, 'bowline', how.atOnce)
  return rows.map((row) => {
    const [there, here] = [sshd, bowline].map((runs) => runs.filter((run) => run.row === row))
    const expected = mostCommon((there ?? []).flatMap((run) => ('outcome' in run ? run.outcome : [])))
    return { row, sshd: tally(there ?? [], expected), bowline: tally(here ?? [], expected) }
  })
}

async function runAll(orders: readonly Row[], sites: SiteSource, on: Site['name'], atOnce: number): Promise<Run[]> {
  const waiting = orders.values()
  const runs: Run[] = []
  // The workers share the iterator: each takes the next run, in its own account.
  const worker = async (at: number): Promise<void> => {
    for (const row of waiting) {
      try {
        runs.push({ row, outcome: textOf(await outcomeOf(row, sites, on, at)) })
      } catch (error) {
        runs.push({ row, error: error instanceof Error ? error.message : String(error) })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, at) => worker(at)))
  return runs
}

/** As JSON with sorted keys: Perl's key order differs with each run. */
function textOf(outcome: Outcome): string {
  return JSON.stringify(outcome, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  })
}

function tally(runs: readonly Run[], expected: string | undefined): Tally {
  const others = runs.filter((run) => !('outcome' in run) || run.outcome !== expected)
  const ok = runs.length - others.length
  const [first] = others
  if (!first) return { ok }
  return { ok, firstError: 'error' in first ? first.error : difference(first.outcome, expected ?? '') }
}

/** Where two outcomes diverge, with some context before it. */
function difference(outcome: string, expected: string): string {
  let at = 0
  while (at < outcome.length && outcome[at] === expected[at]) at++
  const [is, should] = [outcome, expected].map((text) =>
    text.slice(Math.max(0, at - CONTEXT_CHARACTERS), at + CONTEXT_CHARACTERS),
  )
  return `another outcome: ${is}\nin place of: ${should}`
}

function mostCommon(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}

/** Fisher-Yates shuffle with a linear congruential generator: the same seed gives the same order everywhere. */
export function shuffled(rows: readonly Row[], seed: number): Row[] {
  const order = [...rows]
  let state = seed
  for (let last = order.length - 1; last > 0; last--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const at = (state >>> 8) % (last + 1)
    const [one, other] = [order[last], order[at]]
    if (one && other) [order[at], order[last]] = [one, other]
  }
  return order
}
