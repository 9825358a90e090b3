// Facts that clients get about the host key of a device without an agent, and of one that it presents instead.
import type { DeviceHostKey } from '@bowline/contract/schemas/device'
import { sha256FingerprintOf } from '../../platform/keys/key-data.ts'

/** Columns of a device about its host key. */
export interface HostKeyColumns {
  readonly ssh_host_key: string | null
  readonly presented_host_key: string | null
  readonly presented_host_key_at: Date | null
}

/** @returns undefined for a device with an agent */
export function describeHostKey(row: HostKeyColumns): DeviceHostKey | undefined {
  const { ssh_host_key: line, presented_host_key: presented, presented_host_key_at: since } = row
  if (line === null) return undefined
  return {
    ...factsOf(line),
    presented: presented === null || since === null ? null : { ...factsOf(presented), since: since.toISOString() },
  }
}

/** @param blob wire encoding of a key (RFC 4253 section 6.6) @returns type and base64, as `authorized_keys` has it */
export function lineOf(blob: Uint8Array): string {
  return `${keyTypeOf(blob)} ${Buffer.from(blob).toString('base64')}`
}

/** Reverses {@link lineOf}. */
export function blobOfLine(line: string): Buffer {
  return Buffer.from(line.slice(line.indexOf(' ') + 1), 'base64')
}

/** Type of a key, by its wire encoding; '' for what is none. */
export function keyTypeOf(blob: Uint8Array): string {
  const bytes = Buffer.from(blob)
  return bytes.length < 4 ? '' : bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString('latin1')
}

function factsOf(line: string): { type: string; fingerprint: string } {
  const blob = blobOfLine(line)
  return { type: keyTypeOf(blob), fingerprint: sha256FingerprintOf(blob) }
}
