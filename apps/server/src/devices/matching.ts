// Previews the devices that a filter matches before it is saved. Names are read in pages and matched in small batches,
// so that a slow pattern does not block the event loop.
import { setImmediate as othersFirst } from 'node:timers/promises'
import type { TenantContext } from '../context.ts'
import { readAcceptedByName } from './store.ts'

/** Number of names returned; the rest is only counted. */
const NAMES_RETURNED = 5
const PAGE = 1_000
const AT_ONCE = 50

export interface Matched {
  readonly matching: number
  readonly accepted: number
  readonly names: string[]
}

interface Named {
  readonly name: string
  readonly tags: readonly string[]
}

/** Every accepted device, then every container, ordered by name, in batches between which others have their turn. */
export async function* acceptedBatches(ctx: Pick<TenantContext, 'db'>): AsyncGenerator<readonly Named[]> {
  for (const kind of ['devices', 'containers'] as const) {
    let after: string | undefined
    do {
      const page = await readAcceptedByName(ctx.db, { kind, after, limit: PAGE })
      for (let from = 0; from < page.length; from += AT_ONCE) {
        yield page.slice(from, from + AT_ONCE)
        await othersFirst()
      }
      after = page.length === PAGE ? page.at(-1)?.name : undefined
    } while (after !== undefined)
  }
}

/** Matches every accepted device, then every container, ordered by name. */
export async function matchAccepted(ctx: TenantContext, passes: (device: Named) => boolean): Promise<Matched> {
  let matching = 0
  let accepted = 0
  const names: string[] = []
  for await (const batch of acceptedBatches(ctx)) {
    const passed = batch.filter((device) => passes(device))
    matching += passed.length
    accepted += batch.length
    names.push(...passed.slice(0, NAMES_RETURNED - names.length).map(({ name }) => name))
  }
  return { matching, accepted, names }
}
