// Evaluates the rules of all namespaces: finds what each has not told yet, and writes it as one message.
import type { AlertDeps } from './deps.ts'
import { type DueRule, type Happening, advance, findDueRules, findHappening } from './happenings-store.ts'
import { textOf } from './message.ts'
import { writeMessage } from './writing.ts'

/** While devices still leave, a message waits for the others: until nothing has happened for so long … */
const QUIET_SECONDS = 15
/** … but no longer than this after the first. */
const LONGEST_WAIT_SECONDS = 60
/** A rule without anything to tell is marked as evaluated no more often. */
const MARK_MS = 300_000

/**
 * One pass over all rules. Run it at one node of several; even where two do, a message is written once: the rule says up to
 * when it has told.
 */
export async function evaluateRules(deps: AlertDeps): Promise<void> {
  let written = false
  for (const rule of await findDueRules(deps.system)) {
    // One namespace's rules must not keep those of others from being evaluated.
    const told = await evaluate(deps, rule).catch((error: unknown) => {
      deps.log.error('alerts.error', { rule: rule.id, err: error })
      return false
    })
    written ||= told
  }
  if (written) deps.wake()
}

async function evaluate(deps: AlertDeps, rule: DueRule): Promise<boolean> {
  const { db } = deps.contextOf(rule.tenant_id)
  const happening = await findHappening(db, rule)
  if (happening.devices === 0) {
    const isOld = happening.until.getTime() - rule.evaluated_to.getTime() > MARK_MS
    // Rules about many look back by themselves.
    if (isOld && rule.condition !== 'many-offline') await advance(deps.system, rule, happening.until, false)
    return false
  }
  if (rule.devices !== null && happening.devices < rule.devices) return false
  if (isUnderWay(happening)) return false
  const { devices: count, names } = happening
  const { condition: type, namespace } = rule
  const text = textOf(rule, happening)
  return deps.system.transaction().execute(async (transaction) => {
    if (!(await advance(transaction, rule, happening.until, true))) return false
    await writeMessage(deps, transaction, rule, { type, namespace, text, devices: { count, names } })
    return true
  })
}

function isUnderWay({ firstAgo, lastAgo }: Happening): boolean {
  return lastAgo < QUIET_SECONDS && firstAgo < LONGEST_WAIT_SECONDS
}
