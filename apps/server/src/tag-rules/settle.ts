// Applies the rules of a namespace to devices, within a transaction.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
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
  const changed: DeviceUid[] = []
  for (const device of await lockDevices(ctx.db, uids, rules)) {
    if (device.status !== 'accepted' && device.status !== 'pending') continue
    const next = planTags(device)
    const isTagged = !sameTags(next.tags, device.tags)
    if (!isTagged && sameTags(next.rule_tags, device.rule_tags)) continue
    const policy = await authorizeDeviceChange(ctx, device, { name: device.name, tags: next.tags })
    await writeTags(ctx.db, device.uid, next)
    if (!isTagged) continue
    changed.push(device.uid)
    const because = { rules: rules.filter(({ tag }) => device.wanted.includes(tag)).map(({ query }) => query) }
    const details = { because, before: device.tags, after: next.tags, ...(policy ? { policy } : {}) }
    await audit(ctx, 'device.tags', device.uid, details)
  }
  return changed
}
