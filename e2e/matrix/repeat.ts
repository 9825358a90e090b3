// Runs rows many times, several at once, first with a plain sshd and then through Bowline, and counts what went well. What
// people do at the same time must not disturb each other: one run of each row cannot show that.
import { outcomeOf } from './board.ts'
import type { Row, Site } from './row.ts'
import type { Sites } from './sites.ts'

export interface Tally {
  /** Runs that gave what most runs of sshd gave. */
  readonly ok: number
  /** What the first of the others said. */
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
  /** Runs of different rows mixed, in an order that this number decides; default: one row after the other. */
  readonly seed?: number
}

type Run = { readonly row: Row } & ({ readonly outcome: string } | { readonly error: string })

/** Runs each row so many times on both sites. A row whose programs are missing fails on both. */
export async function repeat(rows: readonly Row[], sites: Sites, how: HowOften): Promise<Repeated[]> {
  const orders = rows.flatMap((row) => Array.from({ length: how.times }, () => row))
  if (how.seed !== undefined) shuffle(orders, how.seed)
  const sshd = await runAll(orders, sites, 'sshd', how.atOnce)
  const bowline = await runAll(orders, sites, 'bowline', how.atOnce)
  return rows.map((row) => {
    const [there, here] = [sshd, bowline].map((runs) => runs.filter((run) => run.row === row))
    const expected = mostCommon((there ?? []).flatMap((run) => ('outcome' in run ? run.outcome : [])))
    return { row, sshd: tally(there ?? [], expected), bowline: tally(here ?? [], expected) }
  })
}

async function runAll(orders: readonly Row[], sites: Sites, on: Site['name'], atOnce: number): Promise<Run[]> {
  const waiting = orders.values()
  const runs: Run[] = []
  // They share the iterator: each takes the next row, in an account of its own.
  const worker = async (at: number): Promise<void> => {
    for (const row of waiting) {
      try {
        runs.push({ row, outcome: JSON.stringify(await outcomeOf(row, sites, on, at)) })
      } catch (error) {
        runs.push({ row, error: error instanceof Error ? error.message : String(error) })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, at) => worker(at)))
  return runs
}

function tally(runs: readonly Run[], expected: string | undefined): Tally {
  const others = runs.filter((run) => !('outcome' in run) || run.outcome !== expected)
  const ok = runs.length - others.length
  const [first] = others
  if (!first) return { ok }
  return {
    ok,
    firstError: 'error' in first ? first.error : `another outcome: ${first.outcome} in place of ${expected}`,
  }
}

function mostCommon(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}

/** Fisher and Yates, by a linear congruential generator: the same seed gives the same order everywhere. */
function shuffle(rows: Row[], seed: number): void {
  let state = seed
  for (let last = rows.length - 1; last > 0; last--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const at = (state >>> 8) % (last + 1)
    const [one, other] = [rows[last], rows[at]]
    if (!one || !other) return
    rows[at] = one
    rows[last] = other
  }
}
