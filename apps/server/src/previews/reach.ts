// Devices that whoever changes the firewall may reach now, and those of them that the change takes away: people are warned
// before they lock themselves out, also of devices that they have not reached lately.
import { setImmediate as othersFirst } from 'node:timers/promises'
import { LIMITS } from '@bowline/contract/limits'
import type { TenantContext } from '../context.ts'
import { acceptedBatches } from '../devices/matching.ts'
import { type KnownPerson, evaluate, sizeOf } from '../firewall/rules.ts'
import type { Proposal } from '../firewall/service.ts'
import { listOwned } from '../public-keys/service.ts'

/** Size of the rules that are evaluated before others have their turn. */
const BATCH = 50_000
/** Accounts of devices for people about whom nothing else is known: a rule about root alone takes no device from them. */
const FALLBACKS = ['root', 'user']
/** Patterns of keys that one name alone can be found in. */
const NAME = /^\^?([a-z_][\w-]*)\$?$/i

export interface Reach {
  readonly reachable: number
  readonly lost: number
  /** False when the rules are too many to evaluate on all devices. */
  readonly complete: boolean
}

/**
 * Evaluates the rules before and after a change on every accepted device. A device is reachable when the firewall lets the
 * person in as one of their login names, from the present address.
 * @param logins login names that the person, and that anybody, has used lately: without any of their own, people may use those of
 *   others
 */
export async function reachOf(
  ctx: TenantContext,
  { before, after }: Proposal,
  person: KnownPerson,
  logins: { readonly own: Iterable<string>; readonly all: Iterable<string> },
): Promise<Reach> {
  const keys = (await listOwned(ctx)).filter(({ owner }) => owner === person.id)
  const names = keys.flatMap(({ username }) => NAME.exec(username)?.[1] ?? [])
  const own = new Set([...logins.own, ...names])
  const users = [...(own.size > 0 ? own : new Set([...FALLBACKS, ...logins.all]))].slice(0, LIMITS.dryRun.users)
  const rules = [...before, ...after].filter(({ active }) => active)
  const cost = users.length * rules.reduce((sum, rule) => sum + sizeOf(rule), 1)
  const reach = { reachable: 0, lost: 0, complete: true }
  let spent = 0
  let pausedAt = 0
  for await (const batch of acceptedBatches(ctx)) {
    for (const device of batch) {
      spent += cost
      if (spent > LIMITS.dryRun.work) return { ...reach, complete: false }
      if (spent - pausedAt > BATCH) {
        pausedAt = spent
        await othersFirst()
      }
      const mayBy = (some: Proposal['before']): boolean =>
        users.some((user) => evaluate(some, { address: ctx.source, user, device, person }).allow)
      if (!mayBy(before)) continue
      reach.reachable += 1
      if (!mayBy(after)) reach.lost += 1
    }
  }
  return reach
}
