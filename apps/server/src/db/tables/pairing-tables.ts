// Table of codes by which members add devices.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { GeneratedAlways } from 'kysely'
import type { JsonObject } from '../json.ts'

export interface PairingsTable {
  /** SHA-256 of the agent's secret, 32 bytes. */
  device_hash: Buffer
  /** SHA-256 of the code that people type, 32 bytes. */
  code_hash: Buffer
  public_key: string
  /** Of the key, as `ssh-keygen -l` prints it. */
  fingerprint: string
  /** '' without one. */
  mac: string
  hostname: string | null
  info: JsonObject
  /** Time that the device's signature states. */
  signed_at: Date
  address: string
  /** Address, or /64 of an IPv6 address. */
  source: string
  network: GeneratedAlways<string>
  wide_network: GeneratedAlways<string>
  created_at: Date
  expires_at: Date
  polled_at: Date | null
  /** Null while nobody has used the code. */
  claimed_by: TenantId | null
  /** Set once the namespace has the device. */
  device_uid: DeviceUid | null
}
