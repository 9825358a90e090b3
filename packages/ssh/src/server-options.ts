// Options of a server, validated and completed once and shared by all its connections.
import { systemClock } from '@bowline/base/clock'
import type { Clock } from '@bowline/base/clock'
import type { AuthMethod, Compatibility, SshLimits, SshServerOptions } from './api.ts'
import { DEFAULT_LIMITS } from './api.ts'
import { loadHostKey, loadHostKeys } from './keys/host-key.ts'
import type { HostKey } from './keys/host-key.ts'

export interface PreparedOptions {
  readonly hostKeys: readonly HostKey[]
  readonly compatibility: Compatibility
  readonly olderHostKeys: readonly HostKey[]
  readonly software: string
  readonly methods: readonly AuthMethod[]
  readonly limits: SshLimits
  readonly certificateAuthorities: readonly Uint8Array[]
  readonly clock: Clock
}

/** @throws {TypeError} when it cannot be the software part of an identification (RFC 4253 section 4.2) */
export function checkSoftware(software: string): void {
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,200}[\x21-\x7e])?$/.test(software)) {
    throw new TypeError('software: must be 1 to 202 printable ASCII characters without spaces around')
  }
}

const prepared = new WeakMap<SshServerOptions, PreparedOptions>()

/**
 * @throws {TypeError} when a host key or the software name cannot be used, naming the field
 */
export function prepareOptions(options: SshServerOptions): PreparedOptions {
  const known = prepared.get(options)
  if (known) return known
  checkSoftware(options.software)
  const fresh: PreparedOptions = {
    hostKeys: loadHostKeys(options.hostKeys),
    compatibility: options.compatibility ?? 'modern',
    olderHostKeys: (options.olderHostKeys ?? []).map(loadHostKey),
    software: options.software,
    methods: options.methods,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    certificateAuthorities: options.userCertificateAuthorities ?? [],
    clock: options.clock ?? systemClock,
  }
  prepared.set(options, fresh)
  return fresh
}
