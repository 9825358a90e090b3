import { expect, it } from 'vitest'
import { keepView } from './view-keeper.ts'

function scrolledTo(viewportY: number) {
  const active = { viewportY, baseY: 100 }
  return {
    buffer: { active },
    scrollToLine: (line: number) => void (active.viewportY = line),
    scrollToBottom: () => void (active.viewportY = active.baseY),
  }
}

it('scrolls back to where the terminal was before a search, and to its end with what came meanwhile', () => {
  for (const [before, after] of [
    [40, 40],
    [100, 120],
  ] as const) {
    const terminal = scrolledTo(before)
    const view = keepView(terminal)
    terminal.scrollToLine(5)
    view.moved()
    terminal.buffer.active.baseY = 120
    view.restore()
    expect(terminal.buffer.active.viewportY).toBe(after)
  }
})

it('stays where the person has scrolled to, or gone from match to match', () => {
  const scrolled = scrolledTo(100)
  const view = keepView(scrolled)
  scrolled.scrollToLine(5)
  view.moved()
  scrolled.scrollToLine(7)
  view.restore()
  expect(scrolled.buffer.active.viewportY).toBe(7)

  const matched = scrolledTo(100)
  const other = keepView(matched)
  matched.scrollToLine(5)
  other.moved()
  other.stay()
  other.restore()
  expect(matched.buffer.active.viewportY).toBe(5)
})
