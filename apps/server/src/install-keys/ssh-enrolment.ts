// Enrolment by plain ssh: a device without an agent connects with an install key for its user name, and from then on with
// its uid. It is known by the key of its ssh client.
import { fail } from '@bowline/contract/errors'
import { INSTALL_KEY } from '@bowline/contract/schemas/fleet/install-key'
import { DeviceUid, type TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { DeviceActor, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import {
  type EnrolledDevice,
  type EnrollingDevice,
  enrolledUid,
  findEnrolled,
  registerEnrolled,
  tenantOfEnrolled,
} from '../devices/enrolled/enrolled.ts'
import { notePresentedKey } from '../devices/enrolled/host-key.ts'
import { installKey } from './enrolment.ts'
import { installKeyHash } from './service.ts'
import { findInstallKey } from './store.ts'

export interface SshEnrolmentDeps {
  /** Connection to all namespaces: a key names its own. */
  readonly system: Kysely<Schema>
  readonly contextOf: (device: DeviceActor, source: string) => TenantContext
}

/** A device whose ssh client has connected. */
export interface IdentifiedDevice {
  readonly device: DeviceActor
  readonly ctx: TenantContext
  /** What is known of it; undefined for a new one. */
  readonly known: EnrolledDevice | undefined
  /**
   * Registers it, or refreshes what is known.
   * @throws {BowlineError} TOO_MANY_REQUESTS
   */
  register(found: Pick<EnrollingDevice, 'hostKey' | 'software'>): Promise<EnrolledDevice>
  /** @returns what is known of it now; undefined when it has been removed */
  current(): Promise<EnrolledDevice | undefined>
  /** Records the host key that its SSH server has proved. @param hostKey wire encoding */
  presented(hostKey: Uint8Array): Promise<void>
  /** Writes into the audit log that another host key was refused. @param before fingerprint, as `after` */
  readonly hostKeyRefused: (name: string, before: string, after: string) => Promise<void>
}

/** The user name that an ssh client of a device gives: an install key, with a name for the device or without; or a uid. */
const BY_KEY = /^(ik-[a-z2-7]{26})(?:\.([A-Za-z0-9._-]{1,64}))?$/

/** Whatever is wrong with a uid: which ones there are is not disclosed. */
const NO_DEVICE = { what: 'The device with this key' }

/** Whether a user name is one of a device, and not of a person. */
export function isDeviceLogin(user: string): boolean {
  return isInstallKey(user) || DeviceUid.safeParse(user).success
}

/** Whether a device gives an install key for its user name, well formed or not. */
export function isInstallKey(user: string): boolean {
  return user.startsWith('ik-') && !user.includes('@')
}

/**
 * Finds out which device connects. Nothing is written.
 * @param user as {@link isDeviceLogin} knows it
 * @param key wire encoding of the key that the client offers; whether it has it, the caller verifies
 * @throws {BowlineError} INSTALL_KEY_REFUSED with the reason; NOT_FOUND for a uid that is not of this key
 */
export async function identifyDevice(
  deps: SshEnrolmentDeps,
  user: string,
  key: Uint8Array,
  source: string,
): Promise<IdentifiedDevice> {
  const [, text, name] = BY_KEY.exec(user) ?? []
  const tenant = text === undefined ? await tenantByUid(deps, user) : await tenantByKey(deps, text)
  const uid = enrolledUid(key, tenant)
  if (text === undefined && uid !== user) fail('NOT_FOUND', NO_DEVICE)
  const device: DeviceActor = { kind: 'device', uid, tenant, proven: true }
  const ctx = deps.contextOf(device, source)
  const known = await findEnrolled(ctx, uid)
  if (!known && text === undefined) fail('NOT_FOUND', NO_DEVICE)
  // A device that is known connects again by the key that it was enrolled with, also when that has expired since.
  const enrol = known || text === undefined ? undefined : await installKey(ctx, text)
  return {
    device,
    ctx,
    known,
    async register(found) {
      const { isNew } = await registerEnrolled(ctx, { ...found, key, name })
      if (isNew) await enrol?.(ctx, uid)
      const enrolled = (await findEnrolled(ctx, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
      if (enrolled.presentsAnother) await notePresentedKey(ctx, uid, found.hostKey)
      return enrolled
    },
    current: () => findEnrolled(ctx, uid),
    presented: (hostKey) => notePresentedKey(ctx, uid, hostKey),
    hostKeyRefused: (named, before, after) =>
      audit(ctx, 'device.host-key', uid, {
        name: named,
        before: { fingerprint: before },
        after: { fingerprint: after },
      }),
  }
}

async function tenantByKey({ system }: SshEnrolmentDeps, text: string): Promise<TenantId> {
  const row = INSTALL_KEY.test(text) ? await findInstallKey(system, installKeyHash(text)) : undefined
  return row?.tenant_id ?? fail('INSTALL_KEY_REFUSED', { reason: 'there is no such key' })
}

async function tenantByUid({ system }: SshEnrolmentDeps, user: string): Promise<TenantId> {
  const uid = DeviceUid.safeParse(user)
  const tenant = uid.success ? await tenantOfEnrolled(system, uid.data) : undefined
  return tenant ?? fail('NOT_FOUND', NO_DEVICE)
}
