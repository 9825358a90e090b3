// Registration of a device with an install key: checked when the device is new, so that an agent may go on
// presenting a key that has expired since.
import { BowlineError, type ErrorCode, fail } from '@bowline/contract/errors'
import { INSTALL_KEY } from '@bowline/contract/schemas/fleet/install-key'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { setStatus } from '../devices/acceptance.ts'
import { notifyChanged, tagPending } from '../devices/service.ts'
import { installKeyHash } from './service.ts'
import { type InstallKeyRow, findInstallKey, countUse } from './store.ts'

/** Reasons for which a device stays pending although its key would accept it: a member decides. */
const UNDECIDED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'DEVICE_NAME_TAKEN',
  'DEVICE_REPLACES',
  'DEVICE_LIMIT',
  'PAYMENT_REQUIRED',
])

/**
 * Checks the key of a device that registers.
 * @returns enrols the device once it is registered; does nothing when others have used up, or removed, the key meanwhile
 * @throws {BowlineError} INSTALL_KEY_REFUSED with the reason
 */
export async function installKey(
  ctx: TenantContext,
  text: string,
): Promise<(ctx: TenantContext, uid: DeviceUid) => Promise<void>> {
  const key = await requireInstallKey(ctx, text)
  return (inner, uid) => enrol(inner, uid, key)
}

async function requireInstallKey(ctx: TenantContext, key: string): Promise<InstallKeyRow> {
  const refuse = (reason: string): never => fail('INSTALL_KEY_REFUSED', { reason }, ['install_key'])
  const row = INSTALL_KEY.test(key) ? await findInstallKey(ctx.db, installKeyHash(key)) : undefined
  if (!row) return refuse('the namespace has no such key')
  if (row.expires_at && row.expires_at.getTime() <= ctx.clock.now()) return refuse('it has expired')
  if (row.max_uses !== null && row.uses >= row.max_uses) return refuse('it has been used up')
  return row
}

/**
 * Tags and, if the key says so, accepts a pending device. What a person has to decide stays pending: a name that is
 * taken, a device to replace, a full namespace.
 */
async function enrol(ctx: TenantContext, uid: DeviceUid, key: InstallKeyRow): Promise<void> {
  const isUsed = await ctx.db.transaction().execute(async (db) => {
    const used = await countUse(db, key.key_hash, new Date(ctx.clock.now()))
    if (!used) return false
    // A tag may have been renamed since the key was checked; from here on its row is locked.
    const { name, tags } = used
    if (tags.length > 0) await tagPending(db, uid, tags)
    await audit({ ...ctx, db }, 'install-key.use', name, { device: uid, tags })
    return true
  })
  if (!isUsed) return
  await notifyChanged(ctx, uid)
  if (!key.accepts) return
  try {
    await setStatus(ctx, uid, 'accept')
  } catch (error) {
    if (!(error instanceof BowlineError) || !UNDECIDED.has(error.code)) throw error
    ctx.log.info('device.undecided', { device: uid, key: key.name, reason: error.code })
  }
}
