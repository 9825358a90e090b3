// Applies the rules of a namespace to devices, within a transaction.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { JsonObject } from '../db/json.ts'
import { authorizeDeviceChange } from '../policy/device-policy.ts'
import { planTags, sameTags } from './plan.ts'
import { findMatchingTags, lockDevices, readRules, writeTags } from './store.ts'

/**
 * Judges an edit of a device by the rules that it matches before and after: what people may not change of policy themselves they may
 * not change by what a rule makes of it, such as by a name that a rule looks for. Also where the rule gives its tag only
 * later, because the device is rejected or has no room for it.
 * @param edit makes the change, in the transaction of `ctx`
 * @throws {BowlineError} POLICY_CHANGE
 */
export async function judgeEdit(ctx: TenantContext, uid: DeviceUid, edit: () => Promise<void>): Promise<void> {
  const rules = (await readRules(ctx.db)).filter(({ active }) => active)
  const before = await findMatchingTags(ctx.db, uid, rules)
  await edit()
  const after = await findMatchingTags(ctx.db, uid, rules)
  if (sameTags(before, after)) return
  const [device] = await lockDevices(ctx.db, [uid], [])
  if (!device) return
  const { name, tags } = device
  const withRules = (found: readonly string[]) => ({ name, tags: [...new Set([...tags, ...found])] })
  await authorizeDeviceChange(ctx, withRules(before), withRules(after))
}

/** Applies the rules to a device that somebody has changed, in the transaction of that change. */
export async function settleDevice(ctx: TenantContext, uid: DeviceUid): Promise<void> {
  await settle(ctx, [uid])
}

/**
 * Applies the rules to devices. Each is locked, and its change is in the audit log.
 * @returns those whose tags have changed
 * @throws {BowlineError} POLICY_CHANGE for an actor who may not make the change; never for the platform
 */
export async function settle(ctx: TenantContext, uids: readonly DeviceUid[]): Promise<DeviceUid[]> {
  const rules = (await readRules(ctx.db)).filter(({ active }) => active)
  const changed: TagChange[] = []
  for (const device of await lockDevices(ctx.db, uids, rules)) {
    if (device.status !== 'accepted' && device.status !== 'pending') continue
    const next = planTags(device)
    const isTagged = !sameTags(next.tags, device.tags)
    if (!isTagged && sameTags(next.rule_tags, device.rule_tags)) continue
    const policy = await authorizeDeviceChange(ctx, device, { name: device.name, tags: next.tags })
    await writeTags(ctx.db, device.uid, next)
    if (!isTagged) continue
    const because = { rules: rules.filter(({ tag }) => device.wanted.includes(tag)).map(({ query }) => query) }
    const details = { because, before: device.tags, after: next.tags, ...(policy ? { policy } : {}) }
    changed.push({ uid: device.uid, name: device.name, details })
  }
  await auditChanges(ctx, changed)
  return changed.map(({ uid }) => uid)
}

interface TagChange {
  readonly uid: DeviceUid
  readonly name: string
  readonly details: JsonObject
}

/** More of them at once are one entry: a rule changes thousands of devices, and the log is for people too. */
const SINGLE_ENTRIES = 3

async function auditChanges(ctx: TenantContext, changes: readonly TagChange[]): Promise<void> {
  if (changes.length > SINGLE_ENTRIES) {
    const devices = changes.map(({ uid, name, details }) => ({ uid, name, ...details }))
    return audit(ctx, 'tag-rule.apply', '', { count: changes.length, devices })
  }
  for (const { uid, details } of changes) await audit(ctx, 'device.tags', uid, details)
}
