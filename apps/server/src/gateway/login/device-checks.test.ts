import { describe, expect, it } from 'vitest'
import { createDeviceChecks } from './device-checks.ts'

/** Requests `count` permits; `granted` fills in the order of grants. */
function ask(checks: ReturnType<typeof createDeviceChecks>, count: number, uid = 'device') {
  const granted: { index: number; release: () => void }[] = []
  const permits = Array.from({ length: count }, (_, index) => {
    const permit = checks.acquire(uid)
    void permit?.then((release) => granted.push({ index, release }))
    return permit
  })
  return { granted, permits }
}

/** Runs the continuations of settled promises. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('password checks of one device', () => {
  it('grants four concurrent password checks per device, and the others in order', async () => {
    const { granted } = ask(createDeviceChecks(), 6)
    await settled()
    expect(granted.map(({ index }) => index)).toEqual([0, 1, 2, 3])
    granted[2]?.release()
    await settled()
    expect(granted.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
    granted[0]?.release()
    await settled()
    expect(granted.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('refuses a password check when 64 wait', async () => {
    const { permits } = ask(createDeviceChecks(), 70)
    expect(permits.filter((permit) => permit === undefined)).toHaveLength(2)
    expect(permits.slice(0, 68)).not.toContain(undefined)
  })

  it('counts a permit once when it is released twice', async () => {
    const { granted } = ask(createDeviceChecks(), 6)
    await settled()
    granted[0]?.release()
    granted[0]?.release()
    await settled()
    expect(granted).toHaveLength(5)
  })

  it('grants password checks of another device independently', async () => {
    const checks = createDeviceChecks()
    ask(checks, 68)
    const other = ask(checks, 1, 'other')
    await settled()
    expect(other.granted).toHaveLength(1)
  })

  it('grants further password checks after all permits are released', async () => {
    const checks = createDeviceChecks()
    const { granted } = ask(checks, 40)
    for (let round = 0; round < 40; round += 1) {
      await settled()
      granted[round]?.release()
    }
    expect(granted).toHaveLength(40)
    const next = ask(checks, 4)
    await settled()
    expect(next.granted).toHaveLength(4)
  })
})
