// Moves and zooms the map: by mouse, wheel, fingers and keys.
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { type Point, type Size, type Viewport, WHOLE_WORLD, bounded, zoomedAt } from './projection.ts'

/** Share of the map that an arrow key moves it by. */
const KEY_SHARE = 0.15
const KEY_FACTOR = 2
/** Zooms by a notch of a wheel, of about 100 pixels. */
const WHEEL_FACTOR = 1.0025
/** A pointer that moves less has pressed what is under it. */
const DRAG_PX = 4
const CENTRE: Point = { x: 0.5, y: 0.5 }

export interface ViewportControl {
  readonly viewport: Viewport
  /** Zero until the map has a place. */
  readonly size: Size
  readonly zoomBy: (factor: number) => void
  readonly show: (viewport: Viewport) => void
  /** The last movement was a drag: the press that ends it chooses nothing. */
  readonly wasDragged: () => boolean
  readonly handlers: {
    readonly onKeyDown: (event: KeyboardEvent) => void
    readonly onPointerDown: (event: PointerEvent) => void
    readonly onPointerMove: (event: PointerEvent) => void
    readonly onPointerUp: (event: PointerEvent) => void
    readonly onPointerCancel: (event: PointerEvent) => void
  }
}

export function useViewport(map: RefObject<HTMLElement | null>): ViewportControl {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  const [viewport, setViewport] = useState<Viewport>(WHOLE_WORLD)
  /** Pointers that are pressed, at their last places in pixels. */
  const pressed = useRef(new Map<number, Point>())
  const travelled = useRef(0)

  const zoomAt = (factor: number, at: Point): void => setViewport((before) => zoomedAt(before, factor, at, size))
  const moveBy = (dx: number, dy: number): void =>
    setViewport((before) => {
      const scale = 1 / (before.zoom * Math.max(1, size.width))
      return bounded({ ...before, x: before.x - dx * scale, y: before.y - dy * scale }, size)
    })
  const shareAt = ({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point => {
    const box = map.current?.getBoundingClientRect()
    if (!box || box.width === 0 || box.height === 0) return CENTRE
    return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height }
  }

  const onWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault()
    zoomAt(WHEEL_FACTOR ** -event.deltaY, shareAt(event))
  })
  useEffect(() => {
    const element = map.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element
      setSize({ width, height })
      setViewport((before) => bounded(before, { width, height }))
    })
    observer.observe(element)
    // React's listeners are passive: the page would scroll as well.
    const wheel = (event: WheelEvent): void => onWheel(event)
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      observer.disconnect()
      element.removeEventListener('wheel', wheel)
    }
  }, [map])

  function onPointerMove(event: PointerEvent): void {
    const before = pressed.current.get(event.pointerId)
    if (!before) return
    const now = { x: event.clientX, y: event.clientY }
    const others = [...pressed.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point)
    pressed.current.set(event.pointerId, now)
    travelled.current += Math.hypot(now.x - before.x, now.y - before.y)
    const [other] = others
    if (other) {
      const distance = (point: Point): number => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y))
      const middle = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 }
      zoomAt(distance(now) / distance(before), shareAt(middle))
      return
    }
    if (travelled.current < DRAG_PX) return
    // What is dragged away from under the pointer goes on moving. A press is not captured: its target would change.
    event.currentTarget.setPointerCapture(event.pointerId)
    moveBy(now.x - before.x, now.y - before.y)
  }

  function release({ pointerId }: PointerEvent): void {
    pressed.current.delete(pointerId)
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { key } = event
    const across = KEY_SHARE * size.width
    const down = KEY_SHARE * size.height
    if (key === 'ArrowLeft') moveBy(across, 0)
    else if (key === 'ArrowRight') moveBy(-across, 0)
    else if (key === 'ArrowUp') moveBy(0, down)
    else if (key === 'ArrowDown') moveBy(0, -down)
    else if (key === '+' || key === '=') zoomAt(KEY_FACTOR, CENTRE)
    else if (key === '-') zoomAt(1 / KEY_FACTOR, CENTRE)
    else if (key === '0') setViewport(bounded(WHOLE_WORLD, size))
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return {
    viewport,
    size,
    zoomBy: (factor) => zoomAt(factor, CENTRE),
    show: (wanted) => setViewport(bounded(wanted, size)),
    wasDragged: () => travelled.current >= DRAG_PX,
    handlers: {
      onKeyDown,
      onPointerDown(event) {
        if (pressed.current.size === 0) travelled.current = 0
        pressed.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
      },
      onPointerMove,
      onPointerUp: release,
      onPointerCancel: release,
    },
  }
}
