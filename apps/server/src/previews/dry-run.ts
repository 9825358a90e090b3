// Tries a change of the firewall rules on the sessions of the last days. Attempts that rules cannot tell apart are evaluated
// once, in small batches, and no more of them than the rules' size allows.
import { setImmediate as othersFirst } from 'node:timers/promises'
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import type { DryRun, DryRunBody } from '@bowline/contract/schemas/policy/dry-run'
import { type TenantContext, personOf } from '../context.ts'
import { type Attempt, type Decision, type KnownPerson, evaluate, sizeOf } from '../firewall/rules.ts'
import { type Proposal, propose } from '../firewall/service.ts'
import { rolesOf } from '../membership/membership.ts'
import { type AttemptRow, recentAttempts } from '../sessions/service.ts'
import { reachOf } from './reach.ts'

const DAY_MS = 86_400_000
/** Size of the rules that are evaluated before others have their turn. */
const BATCH = 50_000

type Effect = DryRun['blocked']

/**
 * @returns the effects; the rules stay as they are
 * @throws {BowlineError} NOT_FOUND for a rule; INVALID_INPUT; RULES_CHANGED
 */
export async function tryChange(ctx: TenantContext, body: DryRunBody): Promise<DryRun> {
  const { days, sessions, work } = LIMITS.dryRun
  const since = new Date(ctx.clock.now() - days * DAY_MS)
  const proposal = await propose(ctx, body)
  const found = await recentAttempts(ctx, since, sessions + 1)
  const rows = found.slice(0, sessions)
  const caller = personOf(ctx.actor)
  const people = new Set(rows.flatMap(({ person_id }) => person_id ?? []))
  const roles = await rolesOf(ctx, caller === undefined ? [...people] : [...people, caller])
  const known = (id: UserId | null | undefined): KnownPerson | undefined => {
    const role = id ? roles.get(id) : undefined
    return id && role ? { id, role } : undefined
  }
  const judge = judgeOf(proposal, work)

  const [blocked, allowed] = [new Tally(), new Tally()]
  const own = { reached: new Set<string>(), cutOff: new Set<string>(), logins: new Set<string>() }
  let considered = 0
  for (const row of rows) {
    const change = judge(row, known(row.person_id))
    if (!change) break
    considered += 1
    if (change.before.allow && !change.after.allow) blocked.add(row, change.after, proposal.proposed)
    if (!change.before.allow && change.after.allow) allowed.add(row, change.after, proposal.proposed)
    if (caller !== undefined && row.person_id === caller) {
      // The same devices, from the present address of the caller.
      const now = judge({ ...row, ip_address: ctx.source }, known(caller))
      own.reached.add(row.device_uid)
      own.logins.add(row.username)
      if (now?.before.allow && !now.after.allow) own.cutOff.add(row.device_uid)
    }
    if (judge.isDue()) await othersFirst()
  }
  const self = known(caller)
  const logins = { own: own.logins, all: rows.map(({ username }) => username) }
  const reach = self && (await reachOf(ctx, proposal, self, logins))
  return {
    since: since.toISOString(),
    sessions: considered,
    complete: found.length <= sessions && considered === rows.length && reach?.complete !== false,
    blocked: blocked.effect,
    allowed: allowed.effect,
    caller: {
      devices: own.reached.size,
      cut_off: own.cutOff.size,
      reachable: reach?.reachable ?? 0,
      lost: reach?.lost ?? 0,
    },
    others: blocked.peopleBesides(caller),
  }
}

interface Change {
  readonly before: Decision
  readonly after: Decision
}

/** @param work sum of the sizes of evaluated rules, after which nothing is evaluated any more */
function judgeOf({ before, after }: Proposal, work: number) {
  const size = [...before, ...after].filter(({ active }) => active).reduce((sum, rule) => sum + sizeOf(rule), 1)
  const decided = new Map<string, Change>()
  let spent = 0
  let sincePause = 0

  const judge = (row: AttemptRow, person: KnownPerson | undefined): Change | undefined => {
    const { username: user, ip_address: address, device_uid: uid, name, tags, method, type } = row
    // The person of a password is known after its approval only: the rules are asked before, and with the person again.
    const isLate = type !== 'web' && method !== 'publickey' && person !== undefined
    const key = JSON.stringify([uid, user, address, person?.id, isLate])
    const earlier = decided.get(key)
    if (earlier) return earlier
    const cost = isLate ? 2 * size : size
    if (spent + cost > work) return undefined
    spent += cost
    sincePause += cost
    const attempt = { address, user, device: { name, tags } }
    const change = { before: decide(before, attempt, person, isLate), after: decide(after, attempt, person, isLate) }
    decided.set(key, change)
    return change
  }
  const isDue = (): boolean => {
    if (sincePause < BATCH) return false
    sincePause = 0
    return true
  }
  return Object.assign(judge, { isDue })
}

function decide(
  rules: Proposal['before'],
  attempt: Omit<Attempt, 'person'>,
  person: KnownPerson | undefined,
  isLate: boolean,
): Decision {
  const first = isLate ? evaluate(rules, attempt) : undefined
  return first?.allow === false ? first : evaluate(rules, { ...attempt, person })
}

/** Counts sessions, their devices and people, or addresses where nobody is known, and keeps the newest as examples. */
class Tally {
  readonly #devices = new Set<string>()
  readonly #people = new Set<string>()
  readonly #addresses = new Set<string>()
  readonly #examples: Effect['examples'] = []
  #sessions = 0

  add(row: AttemptRow, { rule }: Decision, proposed: ReadonlySet<number>): void {
    this.#sessions += 1
    this.#devices.add(row.device_uid)
    if (row.person_id === null) this.#addresses.add(row.ip_address)
    else this.#people.add(row.person_id)
    if (this.#examples.length >= LIMITS.dryRun.examples) return
    const isProposed = rule !== undefined && proposed.has(rule)
    this.#examples.push({
      session: row.uid,
      started_at: row.started_at.toISOString(),
      username: row.username,
      address: row.ip_address,
      device: { uid: row.device_uid, name: row.name },
      person: row.person_id === null ? null : { id: row.person_id, name: row.person },
      rule: isProposed ? null : (rule ?? null),
      proposed: isProposed,
    })
  }

  peopleBesides(caller: UserId | undefined): number {
    return this.#people.size - (caller !== undefined && this.#people.has(caller) ? 1 : 0)
  }

  get effect(): Effect {
    return {
      sessions: this.#sessions,
      devices: this.#devices.size,
      people: this.#people.size,
      addresses: this.#addresses.size,
      examples: this.#examples,
    }
  }
}
