// The canary tag of agent updates when a tag is renamed or removed.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { toPolicy } from './service.ts'
import { lockOpenRolloutWithTag, lockPolicyWithTag, setRolloutTag, upsertPolicy } from './store.ts'

/**
 * Renames the canary tag of the policy and of the open rollout, or removes it from the policy. Without the tag a tenth of
 * all devices would be first: updates are switched off instead, as a rule without another tag is removed. A rollout that
 * waits for devices with a removed tag is halted by the server, which names the tag.
 * @param ctx in a transaction
 * @param to new name of the tag; undefined: it is removed
 * @returns what has the tag, as errors name it
 */
export async function replaceCanaryTag(ctx: TenantContext, tag: string, to: string | undefined): Promise<string[]> {
  const policy = await lockPolicyWithTag(ctx.db, tag)
  if (policy) {
    const change = to === undefined ? { mode: 'off' as const, canary_tag: null } : { canary_tag: to }
    const after = { ...policy, ...change }
    await upsertPolicy(ctx.db, after)
    const { mode, canary_tag, window } = toPolicy(after)
    const details = { because: { tag }, before: toPolicy(policy), canary_tag, window }
    await audit(ctx, 'agent-update.policy', mode, details)
  }
  const rollout = await lockOpenRolloutWithTag(ctx.db, tag)
  if (rollout && to !== undefined) await setRolloutTag(ctx.db, rollout.id, to)
  return [...(policy ? ['the policy of agent updates'] : []), ...(rollout ? [`rollout ${rollout.id}`] : [])]
}
