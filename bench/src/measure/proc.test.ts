import { describe, expect, it } from 'vitest'
import { cpuSeconds, memoryOf, parseCpuTicks, parseMemory } from './proc.ts'

describe('the CPU time of a process', () => {
  it('is read behind a name that has spaces and parentheses itself', () => {
    const line = '4321 (a (b) c) S 1 2 3 0 -1 4194560 9 0 0 0 123 45 0 0 20 0 11 0 99 1 2\n'
    expect(parseCpuTicks(line)).toBe(168)
  })

  it('cannot be read from something else', () => {
    expect(() => parseCpuTicks('4321 (a) S 1')).toThrow('not a line of')
  })

  it('of this process grows while it works', async () => {
    const before = await cpuSeconds(process.pid)
    let turns = 0
    while ((await cpuSeconds(process.pid)) === before && turns < 1e6) turns += 1
    expect(await cpuSeconds(process.pid)).toBeGreaterThan(before)
  })
})

describe('the memory of a process', () => {
  it('is read in bytes', () => {
    const text = '5500-7ff rollup\nRss:    2048 kB\nPss_Anon:     7 kB\nAnonymous:     1024 kB\nLazyFree:  10 kB\n'
    expect(parseMemory(text)).toEqual({ resident: 2_097_152, anonymous: 1_048_576 })
  })

  it('of this process holds at least its own part', async () => {
    const { resident, anonymous } = await memoryOf(process.pid)
    expect(anonymous).toBeGreaterThan(0)
    expect(resident).toBeGreaterThanOrEqual(anonymous)
  })

  it('cannot be read from something else', () => {
    expect(() => parseMemory('')).toThrow('no Rss')
  })
})
