// Service keys belong to nobody: where logins need a second factor, a namespace may let them in without one. So a person
// who proves who they are decides what becomes one, and what one opens.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { type TenantContext, personOf } from '../context.ts'
import { asksForFactor } from '../namespaces/service.ts'
import type { PublicKeyRow } from './store.ts'

type Holder = Pick<PublicKeyRow, 'owner' | 'service'>

/** True for a key of another member, or of somebody who has left: what it opens was theirs. */
export function isOfAnother(ctx: Pick<TenantContext, 'actor'>, { owner, service }: Holder): boolean {
  return !service && owner !== (personOf(ctx.actor) ?? null)
}

/**
 * Refuses programs with API keys that create or change a service key where logins need a second factor: whoever has
 * stolen the API key would pass without it. Nor may they, anywhere, make one of another person's key.
 * @param ctx context in the transaction of the change
 * @param before undefined for a new key
 * @param isProven true if the person has proven who they are for a change of another's key
 * @throws {BowlineError} SERVICE_KEY_REFUSED; FRESH_PROOF_REQUIRED for a person
 */
export async function requireMayServe(
  ctx: TenantContext,
  before: Holder | undefined,
  after: Pick<Holder, 'service'>,
  isProven: boolean,
): Promise<void> {
  const { kind } = ctx.actor
  if (kind === 'system' || !(after.service || before?.service)) return
  const takes = before !== undefined && after.service && isOfAnother(ctx, before)
  if (kind === 'user') {
    if (takes && !isProven) fail('FRESH_PROOF_REQUIRED', { minutes: LIMITS.freshProofMinutes })
    return
  }
  if (takes) fail('SERVICE_KEY_REFUSED', { rule: 'An API key cannot make a service key of the key of another person' })
  if (await asksForFactor(ctx)) {
    const rule = 'Logins of this namespace need a second factor: a person must create and change its service keys'
    fail('SERVICE_KEY_REFUSED', { rule })
  }
}
