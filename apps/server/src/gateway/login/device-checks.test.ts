import { describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
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
    const { granted } = ask(createDeviceChecks(new ManualClock()), 6)
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
    const { refused } = ask(createDeviceChecks(new ManualClock()), 70)
    await settled()
    expect(refused).toEqual([68, 69])
  })

  it('grants password checks by turns of the sources, so that a flood of one keeps nobody out', async () => {
    const checks = createDeviceChecks(new ManualClock())
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
    const { granted } = ask(createDeviceChecks(new ManualClock()), 6)
    await settled()
    granted[0]?.release()
    granted[0]?.release()
    await settled()
    expect(granted).toHaveLength(5)
  })

  it('grants permits for answers while all those for conversations are held', async () => {
    const checks = createDeviceChecks(new ManualClock())
    for (let held = 0; held < 4; held += 1) await checks.acquire('device', 'conversation', '192.0.2.1')
    expect(await checks.acquire('device', 'answer', '192.0.2.1')).toBeDefined()
  })

  it('grants password checks of another device independently', async () => {
    const checks = createDeviceChecks(new ManualClock())
    ask(checks, 68)
    const other = ask(checks, 1, 'other')
    await settled()
    expect(other.granted).toHaveLength(1)
  })

  it('grants further password checks after all permits are released', async () => {
    const checks = createDeviceChecks(new ManualClock())
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

describe('a name behind which no device checks', () => {
  const password = { method: 'password', password: 'guess' } as const

  /** Checks that know a device that took 300 ms, and `count` guesses of as many addresses at a name without a device. */
  async function guessed(count: number) {
    const clock = new ManualClock()
    const checks = createDeviceChecks(clock)
    const release = await checks.acquire('device', 'password', '192.0.2.1')
    clock.advance(300)
    release?.()
    const client = new AbortController()
    const answered: number[] = []
    for (let index = 0; index < count; index += 1) {
      const answer = checks.imitate('nobody.nothing', password, `192.0.2.${index}`, client.signal)
      void answer.then(() => answered.push(index))
    }
    await settled()
    return { clock, answered, client }
  }

  it('keeps a guess for as long as a device took lately', async () => {
    const { clock, answered } = await guessed(1)
    clock.advance(299)
    await settled()
    expect(answered).toEqual([])
    clock.advance(1)
    await settled()
    expect(answered).toEqual([0])
  })

  it('queues guesses behind one another as those at a busy device, and refuses those above the same limit', async () => {
    const { clock, answered } = await guessed(70)
    const counts = [answered.length]
    for (let round = 0; round < 17; round += 1) {
      clock.advance(300)
      await settled()
      counts.push(answered.length)
    }
    expect(counts).toEqual([2, ...Array.from({ length: 17 }, (_, round) => 6 + 4 * round)])
  })

  it('ends with the client', async () => {
    const { clock, answered, client } = await guessed(20)
    client.abort()
    await settled()
    expect(answered).toHaveLength(20)
    expect(clock.pending).toBe(0)
  })

  it('answers at once while no device has checked anything', async () => {
    const { signal } = new AbortController()
    const checks = createDeviceChecks(new ManualClock())
    await expect(checks.imitate('nobody.nothing', password, '192.0.2.1', signal)).resolves.toBeUndefined()
    await expect(checks.imitate('nobody.nothing', password, '192.0.2.1', signal)).resolves.toBeUndefined()
  })
})
