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
import { findWindow, openWindow } from './store.ts'

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

interface FactorDeps {
  readonly db: Kysely<Schema>
  readonly clock: Clock
}

/** The browser's window at the console, and that of the door of a tunnel on another network: it opens no terminals. */
const CONSOLE = credentialHash('web terminal')
const DOOR = credentialHash('door of a tunnel')

/** When the person has proven a factor from the same network, within the hours that the namespace has set. */
async function provenAt(
  { db, clock }: FactorDeps,
  { address, hours, ...visitor }: BrowserVisitor,
  credential: Buffer,
): Promise<Date | undefined> {
  const subject = { ...visitor, credential, source: sourceKey(address) }
  return (await findWindow(db, subject, new Date(clock.now() - hours * HOUR_MS)))?.opened_at
}

/** True if the person may pass the door of a tunnel from this network without another proof. */
export async function hasDoorFactor(deps: FactorDeps, visitor: BrowserVisitor): Promise<boolean> {
  for (const credential of [CONSOLE, DOOR]) if (await provenAt(deps, visitor, credential)) return true
  return false
}

/**
 * Lets a person pass the door of a tunnel from a network other than the console's, for as long as the proof there counts.
 * @param at when that was made
 * @throws {BowlineError} UNAUTHORIZED when the account is gone
 */
export function noteDoorFactor(deps: FactorDeps, visitor: Omit<BrowserVisitor, 'hours'>, at: Date): Promise<void> {
  return note(deps, visitor, DOOR, at)
}

/**
 * Refuses a person at a device whose namespace asks for a second factor, unless they have proven one lately. People who
 * have none prove their password, as they do to approve logins.
 * @param address of the browser
 * @returns when it was proven; undefined where none is asked for
 * @throws {BowlineError} FRESH_PROOF_REQUIRED; USER_TOKEN_REQUIRED for an API key, which no person has at hand
 */
export async function requireBrowserFactor(
  deps: FreshProofDeps,
  actor: Actor,
  device: DeviceUid,
  address: string,
): Promise<Date | undefined> {
  const target = await resolveLoginTarget(deps.db, { uid: device })
  if (!target || target.factorHours === null) return undefined
  if (actor.kind !== 'user') fail('USER_TOKEN_REQUIRED')
  const { tenant, factorHours: hours } = target
  const before = await provenAt(deps, { tenant, person: actor.id, address, hours }, CONSOLE)
  if (before) return before
  await requireRecentProof(deps, actor)
  const now = new Date(deps.clock.now())
  await note(deps, { tenant, person: actor.id, address }, CONSOLE, now)
  return now
}

async function note(
  { db }: FactorDeps,
  { tenant, person, address }: Omit<BrowserVisitor, 'hours'>,
  credential: Buffer,
  at: Date,
): Promise<void> {
  const account = (await getAccount(db, person)) ?? fail('UNAUTHORIZED')
  await openWindow(db, {
    tenant_id: tenant,
    credential,
    source: sourceKey(address),
    user_id: person,
    token_epoch: account.tokenEpoch,
    opened_at: at,
  })
}
