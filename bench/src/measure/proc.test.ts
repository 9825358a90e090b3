import { describe, expect, it } from 'vitest'
import { cpuSeconds, memoryOf, parseCpuTicks, parseMemory } from './proc.ts'

describe('the CPU time of a process', () => {
  it('parses CPU time after a name with spaces and parentheses', () => {
    const line = '4321 (a (b) c) S 1 2 3 0 -1 4194560 9 0 0 0 123 45 0 0 20 0 11 0 99 1 2\n'
    expect(parseCpuTicks(line)).toBe(168)
  })

  it('rejects other input for CPU time', () => {
    expect(() => parseCpuTicks('4321 (a) S 1')).toThrow('not a line of')
  })

  it('increases while this process works', async () => {
    const before = await cpuSeconds(process.pid)
    let turns = 0
    while ((await cpuSeconds(process.pid)) === before && turns < 1e6) turns += 1
    expect(await cpuSeconds(process.pid)).toBeGreaterThan(before)
  })
})

describe('the memory of a process', () => {
  it('parses memory in bytes', () => {
    const text = '5500-7ff rollup\nRss:    2048 kB\nPss_Anon:     7 kB\nAnonymous:     1024 kB\nLazyFree:  10 kB\n'
    expect(parseMemory(text)).toEqual({ resident: 2_097_152, anonymous: 1_048_576 })
  })

  it('reports at least the anonymous part as resident for this process', async () => {
    const { resident, anonymous } = await memoryOf(process.pid)
    expect(anonymous).toBeGreaterThan(0)
    expect(resident).toBeGreaterThanOrEqual(anonymous)
  })

  it('rejects other input for memory', () => {
    expect(() => parseMemory('')).toThrow('no Rss')
  })
})
