// Evaluates the rules of all namespaces: finds what each has not told yet, and writes it as one message.
import { Semaphore } from '@bowline/base/semaphore'
import type { TenantId } from '@bowline/contract/schemas/common'
import { conditionOf } from '../devices/list/service.ts'
import type { AlertDeps } from './deps.ts'
import { type DueRule, type Happening, findDueRules, findHappenings, markQuiet, markTold } from './happenings-store.ts'
import { textOf } from './message.ts'
import { writeMessage } from './writing.ts'

/** While devices still leave, a message waits for the others: until nothing has happened for so long … */
const QUIET_SECONDS = 15
/** … but no longer than this after the first. */
const LONGEST_WAIT_SECONDS = 60
/** Namespaces that are evaluated at once. */
const AT_ONCE = 4
/** One that takes longer is tried again by the next pass, after all others. */
const LONGEST_SECONDS = 5

export interface AlertEvaluator {
  /**
   * One pass over all rules. Run it at one node of several; even where two do, a message is written once: the rule says up
   * to when it has told.
   */
  evaluate(): Promise<void>
}

export function createAlertEvaluator(deps: AlertDeps): AlertEvaluator {
  /** Namespaces whose evaluation failed in the last pass. */
  let failed = new Set<TenantId>()
  /** Rules about many devices that had too few, with what that was found by: they look back, and are the same until more happens. */
  let known = new Map<string, string>()

  async function evaluateNamespace(tenant: TenantId, rules: readonly DueRule[], few: Map<string, string>) {
    const quiet: DueRule[] = []
    let written = false
    const wanted = rules.flatMap((rule) => withFilter(deps, rule))
    const happenings = await findHappenings(deps.contextOf(tenant).db, wanted, LONGEST_SECONDS)
    for (const { rule } of wanted) {
      const happening = happenings.get(rule.id)
      if (!happening || happening.devices < (rule.devices ?? 1)) {
        if (rule.condition === 'many-offline') few.set(rule.id, stateOf(rule))
        else quiet.push(rule)
      } else if (!isUnderWay(happening)) written = (await tell(deps, rule, happening)) || written
    }
    await markQuiet(deps.system, quiet)
    if (written) deps.wake()
  }

  return {
    async evaluate() {
      const few = new Map<string, string>()
      const namespaces = new Map<TenantId, DueRule[]>()
      for (const rule of await findDueRules(deps.system)) {
        if (known.get(rule.id) === stateOf(rule)) few.set(rule.id, stateOf(rule))
        else namespaces.set(rule.tenant_id, [...(namespaces.get(rule.tenant_id) ?? []), rule])
      }
      const failing = new Set<TenantId>()
      const order = [...namespaces].toSorted(([a], [b]) => Number(failed.has(a)) - Number(failed.has(b)))
      const turns = new Semaphore(AT_ONCE, order.length)
      const passes = order.map(([tenant, rules]) =>
        turns.run(() =>
          evaluateNamespace(tenant, rules, few).catch((error: unknown) => {
            failing.add(tenant)
            deps.log.error('alerts.error', { tenant, err: error })
          }),
        ),
      )
      await Promise.all(passes)
      failed = failing
      known = few
    },
  }
}

/** A rule whose filter this version does not know is left out, and reported. */
function withFilter({ log }: AlertDeps, rule: DueRule) {
  try {
    return [{ rule, filter: conditionOf(rule.filter) }]
  } catch (error) {
    log.error('alerts.error', { rule: rule.id, err: error })
    return []
  }
}

async function tell(deps: AlertDeps, rule: DueRule, happening: Happening): Promise<boolean> {
  const { devices: count, names } = happening
  const { condition: type, namespace } = rule
  const text = textOf(rule, happening)
  return deps.system.transaction().execute(async (transaction) => {
    if (!(await markTold(transaction, rule, LONGEST_SECONDS))) return false
    await writeMessage(deps, transaction, rule, { type, namespace, text, devices: { count, names } })
    return true
  })
}

function stateOf({ newest, minutes, devices, tags, filter }: DueRule): string {
  return JSON.stringify([newest, minutes, devices, tags, filter])
}

function isUnderWay({ firstAgo, lastAgo }: Happening): boolean {
  return lastAgo < QUIET_SECONDS && firstAgo < LONGEST_WAIT_SECONDS
}
