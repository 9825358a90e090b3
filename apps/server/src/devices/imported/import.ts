// Takes devices over from another server. A device is its key: whoever proves that one, at a link or in a tunnel, is let in.
import { BowlineError, fail } from '@bowline/contract/errors'
import type { DeviceImportOutcome, ImportedDevice } from '@bowline/contract/operations/fleet/device-imports'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { audit } from '../../audit/service.ts'
import type { TenantContext } from '../../context.ts'
import { limitReached } from '../../db/limit-reached.ts'
import { acceptUnrivalled, changeStatus } from '../acceptance.ts'
import { deviceUid } from '../identity.ts'
import { keyFingerprint } from '../key-fingerprint.ts'
import { MAX_PENDING } from '../pending.ts'
import { requireUsableKey } from '../registration.ts'
import { countPending, findAcceptedByMac, lockDevice, lockNamespace, updateDevice } from '../store.ts'
import { insertImported, markImported } from './store.ts'

/**
 * Takes devices over, each in a transaction of its own. A device that cannot be accepted, because of its name, its MAC address
 * or a limit, is pending. What the namespace has decided about a device stays: of known ones only pending ones change.
 * @param isDryRun nothing is changed; devices do not know of the others of the call then
 * @returns what has become of each, in their order
 */
export async function importDevices(
  ctx: TenantContext,
  devices: readonly ImportedDevice[],
  isDryRun: boolean,
): Promise<DeviceImportOutcome[]> {
  const outcomes: DeviceImportOutcome[] = []
  for (const device of devices) outcomes.push(await importOne(ctx, device, isDryRun))
  const changed = outcomes.filter(({ outcome }) => outcome === 'created' || outcome === 'changed')
  if (isDryRun || changed.length === 0) return outcomes
  ctx.log.info('device.imported', { tenant: ctx.tenant, count: changed.length })
  // One instead of an event for each.
  ctx.emit({ type: 'reset' })
  return outcomes
}

async function importOne(ctx: TenantContext, device: ImportedDevice, isDryRun: boolean): Promise<DeviceImportOutcome> {
  try {
    return await transact(ctx, device, isDryRun)
  } catch (error) {
    const why = refusalOf(error, device)
    if (device.status !== 'accepted') return refused(ctx, device, why)
    try {
      const pending = await transact(ctx, { ...device, status: 'pending' }, isDryRun)
      return { ...pending, reason: why.message }
    } catch (second) {
      return refused(ctx, device, refusalOf(second, device))
    }
  }
}

/** Of the database: no two accepted devices of a namespace have one name. */
const UNIQUE_NAME = 'accepted_device_name_is_unique_in_its_namespace'

/** @throws {unknown} what was thrown, unless it is an expected failure */
function refusalOf(error: unknown, { name }: ImportedDevice): BowlineError {
  if ((error as { constraint?: unknown }).constraint === UNIQUE_NAME)
    return new BowlineError('DEVICE_NAME_TAKEN', { name })
  const expected = error instanceof BowlineError ? error : limitReached(error)
  if (!expected) throw error
  return expected
}

function refused(ctx: TenantContext, device: ImportedDevice, { message: reason }: BowlineError): DeviceImportOutcome {
  return { uid: uidOf(ctx, device), name: device.name, outcome: 'refused', status: null, reason }
}

/** Ends the transaction of a dry run. */
class RolledBack extends Error {
  readonly outcome: DeviceImportOutcome
  constructor(outcome: DeviceImportOutcome) {
    super('A dry run changes nothing.')
    this.name = 'RolledBack'
    this.outcome = outcome
  }
}

async function transact(ctx: TenantContext, device: ImportedDevice, isDryRun: boolean): Promise<DeviceImportOutcome> {
  try {
    return await ctx.db.transaction().execute(async (db) => {
      const outcome = await place({ ...ctx, db }, device)
      if (isDryRun) throw new RolledBack(outcome)
      return outcome
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome
    throw error
  }
}

/** @param ctx context in a transaction */
async function place(ctx: TenantContext, device: ImportedDevice): Promise<DeviceImportOutcome> {
  requireUsableKey(device.public_key)
  const uid = uidOf(ctx, device)
  // Of two imports at once the second one finds what the first has made.
  await lockNamespace(ctx.db)
  const known = await lockDevice(ctx.db, uid)
  const at = new Date(ctx.clock.now())
  const describe = (outcome: DeviceImportOutcome['outcome'], status: DeviceImportOutcome['status']) => {
    return { uid, name: known?.name ?? device.name, outcome, status, reason: null }
  }
  if (known) {
    await markImported(ctx.db, uid, at)
    const isUndecided = known.status === 'pending' && device.status !== 'pending'
    if (!isUndecided) {
      const isOther = known.status !== device.status
      const reason = isOther ? `It is ${known.status} here; ${device.status} there.` : null
      return { ...describe('unchanged', known.status), reason }
    }
    const { name, tags } = device
    await updateDevice(ctx.db, uid, { name, tags: known.tags.length > 0 ? known.tags : tags })
  } else if (!(await insert(ctx, uid, device, at))) return place(ctx, device)
  await decide(ctx, uid, device)
  const fingerprint = await keyFingerprint(device.public_key)
  await audit(ctx, 'device.import', uid, { name: device.name, fingerprint, after: device.status })
  return { ...describe(known ? 'changed' : 'created', device.status), name: device.name }
}

async function insert(ctx: TenantContext, uid: DeviceUid, device: ImportedDevice, at: Date): Promise<boolean> {
  const { name, mac, info, public_key, tags, status, last_seen: seen } = device
  if (status === 'pending' && (await countPending(ctx.db)) >= MAX_PENDING) {
    fail('NAMESPACE_FULL', { what: 'pending devices', limit: MAX_PENDING })
  }
  return insertImported(ctx.db, {
    uid,
    tenant_id: ctx.tenant,
    name,
    hostname: null,
    mac: mac === '' ? null : mac.toLowerCase(),
    info,
    public_key,
    tags,
    signed_at: null,
    imported_at: at,
    // Pending ones are removed when they have not been seen for a week: that begins now.
    last_seen: status === 'pending' || seen === undefined ? undefined : new Date(seen),
  })
}

/** Gives a pending device the status that it had. It never replaces another: a person compares their keys. */
async function decide(ctx: TenantContext, uid: DeviceUid, { status, mac }: ImportedDevice): Promise<void> {
  if (status === 'pending') return
  if (status === 'rejected') {
    await changeStatus(ctx, uid, 'reject')
    return
  }
  const address = mac.toLowerCase()
  if (address !== '' && (await findAcceptedByMac(ctx.db, [address])).length > 0) fail('DEVICE_REPLACES_ONE')
  await acceptUnrivalled(ctx, uid)
}

function uidOf(ctx: TenantContext, { mac, public_key: publicKey }: ImportedDevice): DeviceUid {
  return deviceUid({ mac, publicKey, tenant: ctx.tenant })
}
