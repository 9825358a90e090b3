// Pairing: an agent that knows no namespace shows a code, and the member who types it adds the device to theirs. The code
// is bound to the device's key, which has signed the request for it.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input, Output } from '@bowline/contract/operation'
import type { pairings as operations } from '@bowline/contract/operations/fleet/pairings'
import { DeviceInfo } from '@bowline/contract/schemas/device'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { PairedDevice, PairingBody, WaitingPairing } from '@bowline/contract/schemas/fleet/pairing'
import { verifyPairing } from '@bowline/link/registration-proof'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import { newUserCode, plainUserCode } from '../auth/device-codes/user-code.ts'
import type { Rates } from '../budgets/rates.ts'
import type { WaitingRoom } from '../budgets/waiting.ts'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { keyFingerprint } from '../devices/key-fingerprint.ts'
import { type PairingDevice, addPaired, nameOf, replacedBy } from '../devices/paired.ts'
import { isRecentProof, requireUsableKey } from '../devices/registration.ts'
import type { Ids } from '../platform/ids.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { guess } from './guesses.ts'
import {
  type PairingRow,
  claimCode,
  completePairing,
  deleteExpiredPairings,
  findWaiting,
  pollPairing,
  releaseCode,
  replaceCode,
} from './store.ts'

const { minutes, pollSeconds } = LIMITS.pairingCode
const LIFE_MS = minutes * 60_000

export interface PairingDeps {
  /** System connection: a code belongs to no namespace. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly ids: Pick<Ids, 'secret'>
  readonly rates: Rates
  /** Names the place of an address, '' when unknown. */
  readonly place: (address: string) => string
  /** Name of a namespace in which devices may register; undefined when it is disabled or gone. */
  readonly openNamespace: (tenant: TenantId) => Promise<string | undefined>
}

/**
 * Issues a code for a device, whose earlier one ends.
 * @param room of the table pairings
 * @throws {BowlineError} INVALID_INPUT for an unusable key, a device without a name, a wrong signature;
 *   TOO_MANY_REQUESTS when the source or its network has too many waiting, or too many ask at once
 */
export async function startPairing(
  { db, clock, ids }: PairingDeps,
  room: WaitingRoom,
  body: PairingBody,
  source: string,
): Promise<Output<typeof operations.start>> {
  const [deviceCode, userCode, now] = [ids.secret(32), newUserCode(), clock.now()]
  const mac = body.identity?.mac ?? ''
  const hostname = body.hostname ?? null
  if (nameOf({ hostname, mac }) === undefined)
    fail('INVALID_INPUT', { field: 'identity', rule: 'is required' }, ['identity'])
  const fingerprint = await requireProof(body, clock)
  await room.add({ db, clock }, source, (inner, key) =>
    replaceCode(inner, {
      device_hash: hashOf(deviceCode),
      code_hash: hashOf(plainUserCode(userCode)),
      public_key: body.public_key,
      fingerprint,
      mac,
      hostname,
      info: body.info,
      signed_at: new Date(body.proof.at),
      address: source,
      source: key,
      created_at: new Date(now),
      expires_at: new Date(now + LIFE_MS),
      polled_at: null,
      claimed_by: null,
      device_uid: null,
    }),
  )
  return {
    device_code: deviceCode,
    user_code: userCode,
    fingerprint,
    expires_in: LIFE_MS / 1_000,
    interval: pollSeconds,
  }
}

/** Whoever shows a code holds the device's key. @returns the key's fingerprint */
async function requireProof(body: PairingBody, clock: Clock): Promise<string> {
  requireUsableKey(body.public_key)
  const fingerprint = await keyFingerprint(body.public_key)
  if (fingerprint === '') {
    fail('INVALID_INPUT', { field: 'public_key', rule: 'must be of a type that SSH has' }, ['public_key'])
  }
  if (!isRecentProof(clock, body.proof) || !verifyPairing(body, body.proof)) {
    const rule = 'must be signed by the key of the device, at a time within five minutes of the server’s'
    fail('INVALID_INPUT', { field: 'proof', rule }, ['proof'])
  }
  return fingerprint
}

/**
 * The namespace that has the agent's device. The answer can be asked for again, as one may get lost.
 * @throws {BowlineError} CODE_PENDING, CODE_TOO_FAST; CODE_EXPIRED also for an unknown code, and when the namespace was
 *   disabled or closed meanwhile
 */
export async function pollCode(deps: PairingDeps, deviceCode: string): Promise<Output<typeof operations.poll>> {
  const now = deps.clock.now()
  const row = await deps.db.transaction().execute((db) => pollPairing(db, hashOf(deviceCode), new Date(now)))
  if (!row) return fail('CODE_EXPIRED')
  if (row.claimed_by !== null && row.device_uid !== null) {
    const namespace = (await deps.openNamespace(row.claimed_by)) ?? fail('CODE_EXPIRED')
    return { tenant_id: row.claimed_by, namespace }
  }
  const sinceLast = row.polled_at ? now - row.polled_at.getTime() : Number.POSITIVE_INFINITY
  return fail(sinceLast < pollSeconds * 1_000 ? 'CODE_TOO_FAST' : 'CODE_PENDING', { seconds: pollSeconds })
}

/**
 * The device that waits under a code, for a member to compare.
 * @throws {BowlineError} NOT_FOUND, alike for a code that is wrong, expired or used; TOO_MANY_REQUESTS
 */
export async function describePairing(deps: PairingDeps, ctx: TenantContext, typed: string): Promise<WaitingPairing> {
  const now = deps.clock.now()
  const row = await guess(deps.rates, ctx, () => findWaiting(deps.db, codeHash(typed), new Date(now)))
  const replaces = await replacedBy(ctx, deviceOf(row))
  return {
    name: nameOf(row) ?? fail('INTERNAL'),
    info: infoOf(row),
    source: row.address,
    place: deps.place(row.address),
    fingerprint: row.fingerprint,
    asked_at: row.created_at.toISOString(),
    expires_in: Math.ceil((row.expires_at.getTime() - now) / 1_000),
    ...(replaces ? { replaces } : {}),
  }
}

/**
 * Adds the device that waits under a code to the caller's namespace. The code is taken first, so that of two members one
 * succeeds; a refusal gives it back.
 * @throws {BowlineError} NOT_FOUND, alike for a code that is wrong, expired, used or of another key; TOO_MANY_REQUESTS; and
 *   those of `addPaired`
 */
export async function confirmPairing(
  deps: PairingDeps,
  ctx: TenantContext,
  { code, fingerprint, name }: Input<typeof operations.confirm>['body'],
): Promise<PairedDevice> {
  const hash = codeHash(code)
  const now = deps.clock.now()
  const row = await guess(deps.rates, ctx, async () => {
    const found = await findWaiting(deps.db, hash, new Date(now))
    if (found?.fingerprint !== fingerprint) return undefined
    return (await claimCode(deps.db, hash, new Date(now), ctx.tenant)) ? found : undefined
  })
  let device: PairedDevice
  try {
    device = await addPaired(ctx, deviceOf(row), name)
  } catch (error) {
    await releaseCode(deps.db, row)
    throw error
  }
  // The agent may be away just now, and has a code's life to come back.
  await completePairing(deps.db, hash, device.uid, new Date(deps.clock.now() + LIFE_MS))
  return device
}

/** Removes codes whose time is over. */
export function forgetPairings({ db, clock }: Pick<PairingDeps, 'db' | 'clock'>): Promise<void> {
  return deleteExpiredPairings(db, new Date(clock.now()))
}

function codeHash(typed: string): Buffer {
  return hashOf(plainUserCode(typed))
}

function infoOf(row: PairingRow): DeviceInfo {
  return DeviceInfo.parse(row.info)
}

function deviceOf(row: PairingRow): PairingDevice {
  return {
    publicKey: row.public_key,
    mac: row.mac,
    hostname: row.hostname,
    info: infoOf(row),
    address: row.address,
    signedAt: row.signed_at,
    fingerprint: row.fingerprint,
  }
}
