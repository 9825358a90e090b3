// Touch scrolling for terminals, which xterm 6 lacks (its issue 5489).
import type { Terminal } from '@xterm/xterm'

export function scrollByTouch(element: HTMLElement, terminal: Terminal): void {
  let lastY: number | undefined
  let rest = 0
  element.addEventListener('touchstart', ({ touches }) => (lastY = touches[0]?.clientY), { passive: true })
  element.addEventListener('touchend', () => (lastY = undefined), { passive: true })
  element.addEventListener(
    'touchmove',
    ({ touches }) => {
      const y = touches[0]?.clientY
      if (y === undefined || lastY === undefined) return
      rest += lastY - y
      lastY = y
      const lineHeight = element.clientHeight / Math.max(1, terminal.rows)
      const lines = Math.trunc(rest / lineHeight)
      rest -= lines * lineHeight
      if (lines !== 0) terminal.scrollLines(lines)
    },
    { passive: true },
  )
}
