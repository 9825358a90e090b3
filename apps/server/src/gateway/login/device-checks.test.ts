import { describe, expect, it } from 'vitest'
import { createDeviceChecks } from './device-checks.ts'

/** Asks for `count` permits; `came` fills in the order in which they are granted. */
function ask(checks: ReturnType<typeof createDeviceChecks>, count: number, uid = 'device') {
  const came: { index: number; release: () => void }[] = []
  const turns = Array.from({ length: count }, (_, index) => {
    const turn = checks.acquire(uid)
    void turn?.then((release) => came.push({ index, release }))
    return turn
  })
  return { came, turns }
}

/** Lets promises that are settled run what waits for them. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('password checks of one device', () => {
  it('run four at once, and the others in the order they came', async () => {
    const { came } = ask(createDeviceChecks(), 6)
    await settled()
    expect(came.map(({ index }) => index)).toEqual([0, 1, 2, 3])
    came[2]?.release()
    await settled()
    expect(came.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
    came[0]?.release()
    await settled()
    expect(came.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('are refused at once when 64 wait already', async () => {
    const { turns } = ask(createDeviceChecks(), 70)
    expect(turns.filter((turn) => turn === undefined)).toHaveLength(2)
    expect(turns.slice(0, 68)).not.toContain(undefined)
  })

  it('count a permit that is released twice once', async () => {
    const { came } = ask(createDeviceChecks(), 6)
    await settled()
    came[0]?.release()
    came[0]?.release()
    await settled()
    expect(came).toHaveLength(5)
  })

  it('do not hold up another device', async () => {
    const checks = createDeviceChecks()
    ask(checks, 68)
    const other = ask(checks, 1, 'other')
    await settled()
    expect(other.came).toHaveLength(1)
  })

  it('are all possible again when all permits are released', async () => {
    const checks = createDeviceChecks()
    const { came } = ask(checks, 40)
    for (let round = 0; round < 40; round += 1) {
      await settled()
      came[round]?.release()
    }
    expect(came).toHaveLength(40)
    const next = ask(checks, 4)
    await settled()
    expect(next.came).toHaveLength(4)
  })
})
