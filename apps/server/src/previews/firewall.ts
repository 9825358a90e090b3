// Evaluates the firewall for a hypothetical connection.
import type { firewall as operations } from '@bowline/contract/operations/firewall'
import type { Input } from '@bowline/contract/operation'
import type { Verdict } from '@bowline/contract/schemas/firewall'
import { canonicalAddress } from '@bowline/contract/schemas/network'
import type { TenantContext } from '../context.ts'
import { get as getDevice } from '../devices/service.ts'
import { ruleEvaluator } from '../firewall/service.ts'

/**
 * Evaluates an attempt by the current rules, with the gateway's texts.
 * @throws {BowlineError} NOT_FOUND for the device
 */
export async function evaluateAttempt(
  ctx: TenantContext,
  { device: uid, username, address: typed }: Input<typeof operations.evaluate>['body'],
): Promise<Verdict> {
  const { name, tags } = await getDevice(ctx, uid)
  const address = canonicalAddress(typed) ?? typed
  const evaluate = await ruleEvaluator(ctx)
  const { allow, rule } = evaluate({ address, user: username, device: { name, tags } })
  return { allow, rule: rule ?? null }
}
