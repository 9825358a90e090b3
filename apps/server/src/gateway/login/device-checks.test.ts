import { describe, expect, it } from 'vitest'
import { createDeviceChecks } from './device-checks.ts'

/** Asks for `count` permits; `granted` and `refused` fill in as they are answered. */
function ask(checks: ReturnType<typeof createDeviceChecks>, count: number, uid = 'device', address = '192.0.2.1') {
  const granted: { index: number; release: () => void }[] = []
  const refused: number[] = []
  for (let index = 0; index < count; index += 1) {
    void checks
      .acquire(uid, 'password', address)
      .then((release) => (release ? granted.push({ index, release }) : refused.push(index)))
  }
  return { granted, refused }
}

/** Runs the continuations of settled promises. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('password checks of one device', () => {
  it('grants four concurrent password checks per device, and the others of a source in order', async () => {
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
    const { refused } = ask(createDeviceChecks(), 70)
    await settled()
    expect(refused).toEqual([68, 69])
  })

  it('grants password checks by turns of the sources, so that a flood of one keeps nobody out', async () => {
    const checks = createDeviceChecks()
    const flood = ask(checks, 68)
    const other = ask(checks, 1, 'device', '198.51.100.1')
    await settled()
    // The flood has lost its newest, and the other one waits behind one of the flood's tasks.
    expect(flood.refused).toEqual([67])
    flood.granted[0]?.release()
    flood.granted[1]?.release()
    await settled()
    expect(other.granted).toHaveLength(1)
  })

  it('counts a permit once when it is released twice', async () => {
    const { granted } = ask(createDeviceChecks(), 6)
    await settled()
    granted[0]?.release()
    granted[0]?.release()
    await settled()
    expect(granted).toHaveLength(5)
  })

  it('grants permits for answers while all those for conversations are held', async () => {
    const checks = createDeviceChecks()
    for (let held = 0; held < 4; held += 1) await checks.acquire('device', 'conversation', '192.0.2.1')
    expect(await checks.acquire('device', 'answer', '192.0.2.1')).toBeDefined()
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
