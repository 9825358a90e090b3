// Handshakes that nobody ends must not keep other namespaces out.
import { Duplex } from 'node:stream'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { createUpgradeGuard } from './upgrade-guard.ts'

const MAX = 4_096
const idle = (): Duplex => new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
const tenantOf = (n: number): TenantId => TenantId.parse(`00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`)
const deviceOf = (n: number): DeviceUid => DeviceUid.parse(n.toString(16).padStart(64, '0'))

function guard() {
  return createUpgradeGuard({
    agents: { isDraining: false },
    isCutOff: () => false,
    isExemptSource: () => true,
    clock: new ManualClock(),
    log: silentLog,
  })
}

/** A guard with as many handshakes as it holds, all of one namespace. */
function full() {
  const upgrades = guard()
  const held = Array.from({ length: MAX }, (_, n) => {
    const socket = idle()
    return { socket, end: upgrades.handshake({ uid: deviceOf(n), tenant: tenantOf(1) }, socket) }
  })
  return { upgrades, held }
}

describe('handshakes of links', () => {
  it('end for those of another namespace when there are too many, the oldest first', () => {
    const { upgrades, held } = full()
    expect(upgrades.handshake({ uid: deviceOf(MAX), tenant: tenantOf(2) }, idle())).toBeTypeOf('function')
    expect(upgrades.handshake({ uid: deviceOf(MAX + 1), tenant: tenantOf(3) }, idle())).toBeTypeOf('function')
    expect(held.map(({ socket }) => socket.destroyed).slice(0, 3)).toEqual([true, true, false])
  })

  it('are refused to the namespace that has the most, until one of its own has ended', () => {
    const { upgrades, held } = full()
    const more = { uid: deviceOf(MAX), tenant: tenantOf(1) }
    expect(upgrades.handshake(more, idle())).toBeUndefined()
    expect(held.some(({ socket }) => socket.destroyed)).toBe(false)
    held[0]?.end?.()
    expect(upgrades.handshake(more, idle())).toBeTypeOf('function')
  })
})
