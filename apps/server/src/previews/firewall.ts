// Evaluates the firewall for a hypothetical connection.
import { fail } from '@bowline/contract/errors'
import type { firewall as operations } from '@bowline/contract/operations/firewall'
import type { Input } from '@bowline/contract/operation'
import type { Verdict } from '@bowline/contract/schemas/firewall'
import { canonicalAddress } from '@bowline/contract/schemas/policy/network'
import type { TenantContext } from '../context.ts'
import { get as getDevice } from '../devices/service.ts'
import { ruleEvaluator } from '../firewall/service.ts'
import { isMember } from '../membership/membership.ts'

/**
 * Evaluates an attempt by the current rules, with the gateway's texts.
 * @throws {BowlineError} NOT_FOUND for the device or the person
 */
export async function evaluateAttempt(
  ctx: TenantContext,
  { device: uid, username, address: typed, person }: Input<typeof operations.evaluate>['body'],
): Promise<Verdict> {
  const { name, tags } = await getDevice(ctx, uid)
  const address = canonicalAddress(typed) ?? typed
  const evaluate = await ruleEvaluator(ctx)
  if (person !== undefined && !(await isMember(ctx, person))) fail('NOT_FOUND', { what: 'The member' }, ['person'])
  const { allow, rule } = await evaluate({ address, user: username, person, device: { name, tags } })
  return { allow, rule: rule ?? null }
}
