// The second factor of web terminals: their person has a browser session, in which a fresh proof counts and opens a window
// for later terminals from the same network.
import { fail } from '@bowline/contract/errors'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { FreshProofDeps } from '../auth/fresh-proofs.ts'
import { requireRecentProof } from '../auth/ownership.ts'
import type { Actor } from '../context.ts'
import { resolveLoginTarget } from '../devices/presence.ts'
import { sourceKey } from '../platform/network/address.ts'
import { getAccount } from '../users/service.ts'
import { credentialHash } from './ssh-factor.ts'
import { hasWindow, openWindow } from './store.ts'

/**
 * Refuses a terminal on a device whose namespace asks for a second factor, unless its person has proven one lately. People
 * who have none prove their password, as they do to approve logins.
 * @throws {BowlineError} FRESH_PROOF_REQUIRED; USER_TOKEN_REQUIRED for an API key, which no person has at hand
 */
export async function requireTerminalFactor(
  deps: FreshProofDeps,
  actor: Actor,
  device: DeviceUid,
  source: string,
): Promise<void> {
  const { db, clock } = deps
  const target = await resolveLoginTarget(db, { uid: device })
  if (!target || target.factorHours === null) return
  if (actor.kind !== 'user') fail('USER_TOKEN_REQUIRED')
  const subject = {
    tenant: target.tenant,
    person: actor.id,
    credential: credentialHash('web terminal'),
    source: sourceKey(source),
  }
  const now = clock.now()
  if (await hasWindow(db, subject, new Date(now - target.factorHours * 3_600_000))) return
  await requireRecentProof(deps, actor)
  const account = (await getAccount(db, actor.id)) ?? fail('UNAUTHORIZED')
  const { tenant: tenant_id, credential } = subject
  const window = { tenant_id, credential, source: subject.source, user_id: actor.id, token_epoch: account.tokenEpoch }
  await openWindow(db, { ...window, opened_at: new Date(now) })
}
