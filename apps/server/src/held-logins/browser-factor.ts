// The second factor of people who come by the console, to web terminals and to tunnels: they have a browser session, in
// which a fresh proof counts and opens a window for the same network.
import { fail } from '@bowline/contract/errors'
import type { Clock } from '@bowline/base/clock'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { FreshProofDeps } from '../auth/fresh-proofs.ts'
import { requireRecentProof } from '../auth/ownership.ts'
import type { Actor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { resolveLoginTarget } from '../devices/presence.ts'
import { sourceKey } from '../platform/network/address.ts'
import { getAccount } from '../users/service.ts'
import { credentialHash } from './ssh-factor.ts'
import { hasWindow, openWindow } from './store.ts'

const HOUR_MS = 3_600_000

/** A member of a namespace that asks for the factor. */
export interface BrowserVisitor {
  readonly tenant: TenantId
  readonly person: UserId
  /** Address of the browser. */
  readonly address: string
  /** Hours for which a proof counts in the namespace. */
  readonly hours: number
}

/** True if the person has proven a factor from the same network within the hours that the namespace has set. */
export function hasBrowserFactor(
  { db, clock }: { readonly db: Kysely<Schema>; readonly clock: Clock },
  { address, hours, ...visitor }: BrowserVisitor,
): Promise<boolean> {
  const subject = { ...visitor, credential: credentialHash('web terminal'), source: sourceKey(address) }
  return hasWindow(db, subject, new Date(clock.now() - hours * HOUR_MS))
}

/**
 * Refuses a person at a device whose namespace asks for a second factor, unless they have proven one lately. People who
 * have none prove their password, as they do to approve logins.
 * @param address of the browser
 * @throws {BowlineError} FRESH_PROOF_REQUIRED; USER_TOKEN_REQUIRED for an API key, which no person has at hand
 */
export async function requireBrowserFactor(
  deps: FreshProofDeps,
  actor: Actor,
  device: DeviceUid,
  address: string,
): Promise<void> {
  const target = await resolveLoginTarget(deps.db, { uid: device })
  if (!target || target.factorHours === null) return
  if (actor.kind !== 'user') fail('USER_TOKEN_REQUIRED')
  const { tenant, factorHours: hours } = target
  if (await hasBrowserFactor(deps, { tenant, person: actor.id, address, hours })) return
  await requireRecentProof(deps, actor)
  await noteBrowserFactor(deps, { tenant, person: actor.id, address })
}

/**
 * Notes that a person has proven a factor, for the network of their browser.
 * @throws {BowlineError} UNAUTHORIZED when the account is gone
 */
export async function noteBrowserFactor(
  { db, clock }: { readonly db: Kysely<Schema>; readonly clock: Clock },
  { tenant, person, address }: Omit<BrowserVisitor, 'hours'>,
): Promise<void> {
  const account = (await getAccount(db, person)) ?? fail('UNAUTHORIZED')
  await openWindow(db, {
    tenant_id: tenant,
    credential: credentialHash('web terminal'),
    source: sourceKey(address),
    user_id: person,
    token_epoch: account.tokenEpoch,
    opened_at: new Date(clock.now()),
  })
}
