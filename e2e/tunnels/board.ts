// Runs a row on both ways to its service and compares them.
import { isDeepStrictEqual } from 'node:util'
import type { Outcome, Row } from './row.ts'
import type { Sites } from './world.ts'

export type Verdict =
  | { readonly is: 'equal' }
  | { readonly is: 'explained'; readonly why: string }
  | { readonly is: 'different'; readonly direct: Outcome; readonly tunnel: Outcome }

/** @throws {Error} when the feature did not work on one of the ways */
export async function compareRow(row: Row, sites: Sites): Promise<Verdict> {
  const { explained } = row
  const ways = sites.ways(row.service, row.client)
  const direct = await on('directly', row.run(ways.direct))
  const tunnel = await on('through the tunnel', row.run(ways.tunnel))
  const different = { is: 'different', direct, tunnel } as const
  if (!explained) return isDeepStrictEqual(direct, tunnel) ? { is: 'equal' } : different
  // An explanation that nothing needs any more would hide what breaks next.
  const isAsExplained =
    !isDeepStrictEqual(direct, tunnel) && isDeepStrictEqual(explained.turns(direct as never), tunnel)
  return isAsExplained ? { is: 'explained', why: explained.why } : different
}

async function on(way: string, outcome: Promise<Outcome>): Promise<Outcome> {
  try {
    return await outcome
  } catch (error) {
    throw new Error(`It failed ${way}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
