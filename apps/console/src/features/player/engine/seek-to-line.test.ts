import { describe, expect, it } from 'vitest'
import { createStore } from '../../../platform/store.ts'
import type { Playback, PlaybackState } from './playback.ts'
import { seekToFirstOutput, seekToLine } from './seek-to-line.ts'

/** A player that can only seek and step, over lines that appear at these times. */
function player(lines: ReadonlyMap<number, string>) {
  const times = [...lines.keys()]
  const initial = { endMs: 100_000, playing: false, waiting: false, speed: 1, skipsIdle: true, error: undefined }
  const state = createStore<PlaybackState>({ ...initial, atMs: 0 })
  const go = (atMs: number): Promise<void> => Promise.resolve(state.set({ ...state.get(), atMs }))
  const playback: Playback = {
    state,
    seek: go,
    prepare: () => Promise.resolve(undefined),
    step: () => go(times.find((time) => time > state.get().atMs) ?? state.get().atMs),
    play() {},
    pause() {},
    setSpeed() {},
    setSkipsIdle() {},
    use() {},
    grown() {},
    close() {},
  }
  const text = (): string => [...lines].flatMap(([time, line]) => (time <= state.get().atMs ? [line] : [])).join('\n')
  return { playback, screen: { text }, at: () => state.get().atMs }
}

const LINES = new Map([
  [1_000, 'one'],
  [2_000, 'a line that\nwas broken'],
  [3_000, 'three'],
  [60_000, 'far away'],
])

describe('a jump to a hit', () => {
  it('steps to the line that was found, even when the terminal has wrapped it', async () => {
    const { at, ...where } = player(LINES)
    await seekToLine(where, 1_000, 'a line that was broken', () => true)
    expect(at()).toBe(2_000)
  })

  it('stays at the start of the hit when the line does not appear soon', async () => {
    const { at, ...where } = player(LINES)
    await seekToLine(where, 1_000, 'far away', () => true)
    expect(at()).toBe(1_000)
  })

  it('aborts when the person does something else', async () => {
    const { at, ...where } = player(LINES)
    let asked = 0
    await seekToLine(where, 1_000, 'three', () => (asked += 1) < 3)
    expect(at()).toBe(2_000)
  })
})

describe('the first view of a recording', () => {
  it('has the first output, not the empty screen before it', async () => {
    const { at, ...where } = player(
      new Map([
        [50, ' \n'],
        [120, 'root@device:~#'],
        [900, 'ls'],
      ]),
    )
    await seekToFirstOutput(where, () => true)
    expect(at()).toBe(120)
  })

  it('is the start when the first output comes late', async () => {
    const { at, ...where } = player(new Map([[60_000, 'root@device:~#']]))
    await seekToFirstOutput(where, () => true)
    expect(at()).toBe(0)
  })

  it('stays where the person has gone meanwhile', async () => {
    const { at, ...where } = player(LINES)
    await seekToFirstOutput(where, () => false)
    expect(at()).toBe(0)
  })
})
