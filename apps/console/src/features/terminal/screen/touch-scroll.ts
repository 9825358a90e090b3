// Touch scrolling for terminals, which xterm 6 lacks (its issue 5489): the text follows the finger and goes on when it is
// lifted. Programs that take the mouse, or the whole screen, get what the wheel of a mouse would send.
import type { Terminal } from '@xterm/xterm'
import { type Glide, startGlide } from './glide.ts'

export function scrollByTouch(element: HTMLElement, terminal: Terminal): void {
  let last: { readonly y: number; readonly at: number } | undefined
  /** Pixels per millisecond. */
  let speed = 0
  let rest = 0
  let glide: Glide | undefined

  function scrollBy(pixels: number): void {
    rest += pixels
    const lineHeight = element.clientHeight / Math.max(1, terminal.rows)
    const lines = Math.trunc(rest / lineHeight)
    rest -= lines * lineHeight
    if (lines === 0) return
    const isOfProgram = terminal.modes.mouseTrackingMode !== 'none' || terminal.buffer.active.type === 'alternate'
    if (isOfProgram) turnWheel(element, lines)
    else terminal.scrollLines(lines)
  }

  element.addEventListener(
    'touchstart',
    ({ touches, timeStamp: at }) => {
      glide?.stop()
      speed = 0
      const y = touches[0]?.clientY
      last = y === undefined ? undefined : { y, at }
    },
    { passive: true },
  )
  element.addEventListener(
    'touchmove',
    ({ touches, timeStamp: at }) => {
      const y = touches[0]?.clientY
      if (y === undefined || last === undefined) return
      const moved = last.y - y
      // The newest movement counts most: a finger that slows down does not throw.
      speed = 0.2 * speed + 0.8 * (moved / Math.max(1, at - last.at))
      last = { y, at }
      scrollBy(moved)
    },
    { passive: true },
  )
  element.addEventListener(
    'touchend',
    ({ timeStamp: at }) => {
      if (last !== undefined) glide = startGlide(speed, at - last.at, scrollBy)
      last = undefined
    },
    { passive: true },
  )
}

function turnWheel(element: HTMLElement, lines: number): void {
  const { left, top, width, height } = element.getBoundingClientRect()
  const middle = { clientX: left + width / 2, clientY: top + height / 2 }
  const wheel = { deltaY: lines, deltaMode: WheelEvent.DOM_DELTA_LINE, bubbles: true, cancelable: true, ...middle }
  element.querySelector('.xterm-screen')?.dispatchEvent(new WheelEvent('wheel', wheel))
}
