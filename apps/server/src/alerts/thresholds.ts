// Evaluates alert rules with a threshold: one message about the devices that have been above it for long enough, and one about
// those that have recovered.
import { LIMITS } from '@bowline/contract/limits'
import { conditionOf } from '../devices/list/service.ts'
import type { AlertDeps } from './deps.ts'
import { healthText } from './message.ts'
import {
  type HealthRule,
  type Named,
  findHealthRules,
  findDueStates,
  markStates,
  recoveryOf,
  settleStates,
} from './states-store.ts'
import { limitStatements } from './time-limit.ts'
import { writeMessage } from './writing.ts'

/** A rule that takes longer is tried again by the next pass. */
const LONGEST_SECONDS = 5

/** One pass over all rules. A failure of one is logged, and tried again by the next pass. */
export async function evaluateThresholds(deps: AlertDeps): Promise<void> {
  let isWritten = false
  for (const rule of await findHealthRules(deps.system)) {
    try {
      isWritten = (await evaluateRule(deps, rule)) || isWritten
    } catch (error) {
      deps.log.error('alerts.error', { rule: rule.id, err: error })
    }
  }
  if (isWritten) deps.wake()
}

async function evaluateRule(deps: AlertDeps, rule: HealthRule): Promise<boolean> {
  const filter = conditionOf(rule.filter)
  const { beyond, recovered } = await deps
    .contextOf(rule.tenant_id)
    .db.transaction()
    .execute(async (db) => {
      await limitStatements(db, LONGEST_SECONDS)
      await settleStates(db, rule, filter)
      return rule.isReady ? findDueStates(db, rule) : { beyond: [], recovered: [] }
    })
  if (beyond.length + recovered.length === 0) return false
  return deps.system.transaction().execute(async (transaction) => {
    if (!(await markStates(transaction, rule, beyond, recovered))) return false
    for (const [devices, isRecovered] of [
      [beyond, false],
      [recovered, true],
    ] as const) {
      if (devices.length > 0) await writeMessage(deps, transaction, rule, messageOf(rule, devices, isRecovered))
    }
    return true
  })
}

function messageOf(rule: HealthRule, devices: readonly Named[], isRecovered: boolean) {
  const { condition, namespace } = rule
  const names = devices.slice(0, LIMITS.alerts.named).map(({ name }) => name)
  const value = isRecovered ? recoveryOf(rule) : rule.threshold
  const text = healthText({ condition, value, isRecovered }, { devices: devices.length, names })
  const type = isRecovered ? `${condition}-recovered` : condition
  return { type, namespace, text, devices: { count: devices.length, names }, page: '/devices' }
}
