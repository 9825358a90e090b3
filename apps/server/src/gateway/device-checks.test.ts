import { describe, expect, it } from 'vitest'
import { createDeviceChecks } from './device-checks.ts'

/** Asks for `count` turns; `came` fills in the order in which they come. */
function ask(checks: ReturnType<typeof createDeviceChecks>, count: number, uid = 'device') {
  const came: { index: number; giveBack: () => void }[] = []
  const turns = Array.from({ length: count }, (_, index) => {
    const turn = checks.take(uid)
    void turn?.then((giveBack) => came.push({ index, giveBack }))
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
    came[2]?.giveBack()
    await settled()
    expect(came.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
    came[0]?.giveBack()
    await settled()
    expect(came.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('are refused at once when 64 wait already', async () => {
    const { turns } = ask(createDeviceChecks(), 70)
    expect(turns.filter((turn) => turn === undefined)).toHaveLength(2)
    expect(turns.slice(0, 68)).not.toContain(undefined)
  })

  it('count a turn that is given back twice once', async () => {
    const { came } = ask(createDeviceChecks(), 6)
    await settled()
    came[0]?.giveBack()
    came[0]?.giveBack()
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

  it('leave all turns free when all are given back', async () => {
    const checks = createDeviceChecks()
    const { came } = ask(checks, 40)
    for (let round = 0; round < 40; round += 1) {
      await settled()
      came[round]?.giveBack()
    }
    expect(came).toHaveLength(40)
    const next = ask(checks, 4)
    await settled()
    expect(next.came).toHaveLength(4)
  })
})
