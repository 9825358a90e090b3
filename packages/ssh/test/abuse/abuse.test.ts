// The abuse suite: every attack against one real server process, and the server's state afterwards.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasCommand, sshWithPassword } from '@bowline/testkit/real-client'
import { ATTACKS } from './attacks.ts'
import { startVictim } from './victim-process.ts'
import type { VictimProcess } from './victim-process.ts'

describe('a server under attack', () => {
  let victim: VictimProcess
  let rssAtStart = 0
  beforeAll(async () => {
    victim = await startVictim()
    rssAtStart = (await victim.settled()).rss
  })
  afterAll(() => victim[Symbol.dispose]())

  test.each(ATTACKS)('$name', { timeout: 60_000 }, async (attack) => {
    const { ends, leaves } = attack
    await attack.run(victim)
    const { causes, longestTurnMs, rssPeak } = await victim.settled()
    const left = leaves ? ['peer/socket-closed', 'peer/socket-error'] : []
    const ours = Object.keys(causes).filter((cause) => !left.includes(cause))
    expect(ours.sort()).toEqual([...ends].sort())
    // Processor time, not wall-clock time: other tests run on the same machine.
    expect(longestTurnMs).toBeLessThan(200)
    expect(rssPeak - rssAtStart).toBeLessThan(100e6)
  })

  test('releases the attacks’ memory afterwards', async () => {
    const { rss } = await victim.settled()
    expect(Math.abs(rss - rssAtStart)).toBeLessThan(20e6)
  })

  test.skipIf(!hasCommand('ssh') || !hasCommand('sshpass'))('still accepts a normal login', async () => {
    const result = await sshWithPassword(victim.port, 'echo in')
    expect(result.stdout.toString()).toBe('in\n')
    expect(victim.alive).toBe(true)
  })
})
