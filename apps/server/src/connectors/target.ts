// The engine of a stored connector.
import type { Clock } from '@bowline/base/clock'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type Engine, createEngine } from '@bowline/engine/client'
import { EngineError } from '@bowline/engine/errors'
import type { EngineTarget } from '@bowline/engine/target'
import type { Link } from '@bowline/link/api'
import { type EgressRules, judgeEgress } from '../platform/network/egress.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { LinkSocket } from '../tunnels/proxy/link-socket.ts'
import type { ConnectorRow } from './store.ts'

export interface EngineDeps {
  readonly clock: Clock
  readonly secretKey: SecretKey
  readonly egress: EgressRules
  /** Links of devices, for engines that a device reaches. */
  readonly links: { find(uid: DeviceUid): Link | undefined }
}

/** PEM texts of a connector; null when it has none. @throws {Error} when another secret key sealed the private key */
function openTls({ secretKey }: Pick<EngineDeps, 'secretKey'>, row: ConnectorRow) {
  if (row.tls_ca === null || row.tls_cert === null || row.tls_key === null) return null
  return { ca: row.tls_ca, cert: row.tls_cert, key: secretKey.open(sealName(row.uid), row.tls_key).toString() }
}

export const sealName = (uid: string): string => `connector ${uid}`

/**
 * Each connection resolves and judges the address again, or takes the newest link of the device.
 * @param signal ends the connections
 * @throws {Error} as {@link openTls}
 */
export function engineOf(deps: EngineDeps, row: ConnectorRow, signal?: AbortSignal): Engine {
  return createEngine({ ...targetOf(deps, row), ...(signal ? { signal } : {}) }, deps.clock)
}

function targetOf(deps: EngineDeps, row: ConnectorRow): EngineTarget {
  const { device_uid: device } = row
  if (device !== null) return { open: () => connectThrough(deps, device) }
  return {
    host: row.address,
    port: row.port,
    tls: row.secure ? (openTls(deps, row) ?? undefined) : undefined,
    judge: (host) => judgeEgress(host, deps.egress),
  }
}

/** @throws {EngineError} */
function connectThrough({ links, clock }: EngineDeps, device: DeviceUid): LinkSocket {
  const link = links.find(device)
  if (!link) throw new EngineError('the device is offline')
  return new LinkSocket(link, {}, clock, 'engine')
}
