// The host keys of devices without an agent: asks a device's SSH server for its key, and tells of one that has changed.
import type { Clock } from '@bowline/base/clock'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { sha256Fingerprint } from '@bowline/ssh/keys/fingerprint'
import { keyTypeOf } from '../../../devices/enrolled/host-key-facts.ts'
import type { EnrolledDevice } from '../../../devices/enrolled/enrolled.ts'
import type { IdentifiedDevice } from '../../../install-keys/ssh-enrolment.ts'
import type { Log } from '../../../platform/log.ts'
import type { DeviceDoor } from '../device/door.ts'
import { InnerFailure, type SeenServer, scanInner } from '../device/inner-connection.ts'
import { oneLine } from '../../record/device-text.ts'
import type { ScanTurns } from './scan-turns.ts'

/** Attempts to open a connection that a client refuses, and the pause in between in milliseconds. */
const TRIES = 3
const AGAIN_MS = 1_000

export interface HostKeyDeps {
  readonly clock: Clock
  readonly log: Log
  /** Bounds how often the audit log tells of one other host key of a device. */
  readonly hostKeyNotices: Pick<RateLimiter, 'take'>
  /** Bounds how often it tells of all other host keys of a device: whoever has its key can present new ones without end. */
  readonly deviceNotices: Pick<RateLimiter, 'take'>
  /** Bounds how many SSH servers are asked for their host keys at once. */
  readonly scans: ScanTurns
}

/**
 * Has an SSH server prove its host key. A client may refuse the connection to it a moment after it has asked for its port,
 * which it has not noted yet: it is asked again.
 * @param source address of the device
 * @returns undefined when the server is busy with others
 * @throws {InnerFailure}
 */
export async function scanHostKey(
  { clock, scans }: HostKeyDeps,
  door: Pick<DeviceDoor, 'openSsh'>,
  source: string,
  { device, known }: Pick<IdentifiedDevice, 'device' | 'known'>,
): Promise<SeenServer | undefined> {
  // A server has keys of several types; the enrolled type is requested first.
  const types = known ? [keyTypeOf(known.hostKey)] : []
  const scan = () => scans.run(device.tenant, source, () => scanInner(door, types, clock))
  for (let triesLeft = TRIES - 1; ; triesLeft -= 1) {
    try {
      return await scan()
    } catch (error) {
      const isRefused = error instanceof InnerFailure && error.cause.reason === 'not-opened'
      if (!isRefused || triesLeft === 0) throw error
    }
    await new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve))
  }
}

/** Records another host key: at the device, in the log and in the audit log. @returns both keys, for people */
export async function tellOfHostKey(
  { log, hostKeyNotices, deviceNotices }: HostKeyDeps,
  found: IdentifiedDevice,
  enrolled: EnrolledDevice,
  seen: Uint8Array,
): Promise<{ before: string; after: string }> {
  const { uid } = found.device
  const [before, after] = [await sha256Fingerprint(enrolled.hostKey), await sha256Fingerprint(seen)]
  log.warn('link.refused', { device: uid, reason: 'host-key', before, after })
  await found.presented(seen)
  if (hostKeyNotices.take(`${uid} ${after}`) && deviceNotices.take(uid))
    await found.hostKeyRefused(enrolled.name, before, after)
  return { before: `${before} (${shortType(enrolled.hostKey)})`, after: `${after} (${shortType(seen)})` }
}

/** Software and comment of an identification string (RFC 4253 section 4.2), fit to be shown. */
export function softwareOf(ident: string): string {
  return oneLine(ident.replace(/^SSH-[0-9.]+-/, '')).slice(0, 200) || 'unknown'
}

/** Type of a key as `ssh-keygen -l` has it: `ED25519`. */
function shortType(blob: Uint8Array): string {
  return oneLine(keyTypeOf(blob))
    .replace(/^ssh-/, '')
    .replace(/^ecdsa-.*/, 'ecdsa')
    .toUpperCase()
}
