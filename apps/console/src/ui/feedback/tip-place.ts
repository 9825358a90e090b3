// Where a tip goes: above its control, or below where there is no room, and inside of the page.
import type { CSSProperties } from 'react'

export interface Place {
  /** Of the control. */
  readonly side: 'above' | 'below'
  readonly style: CSSProperties
}

interface Box {
  readonly left: number
  readonly top: number
  readonly bottom: number
  readonly width: number
}

/** Between the tip and its control, and between the tip and the edge of the page; in pixels. */
const GAP = 7
const MARGIN = 4

/**
 * The place of a tip, in pixels of the page that is on the screen. Pure.
 * @param control the box of what it is about
 * @param tip its own size
 * @param width of the page
 */
export function placeTip(
  control: Box,
  tip: { readonly offsetWidth: number; readonly offsetHeight: number },
  width: number,
): Place {
  const middle = control.left + control.width / 2
  const left = Math.max(MARGIN, Math.min(middle - tip.offsetWidth / 2, width - MARGIN - tip.offsetWidth))
  const above = control.top - GAP - tip.offsetHeight
  const side = above < MARGIN ? 'below' : 'above'
  const top = side === 'above' ? above : control.bottom + GAP
  return { side, style: { left, top, visibility: 'visible', '--arrow': `${middle - left}px` } as CSSProperties }
}
