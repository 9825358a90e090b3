// The tooltip of the page: one for all controls, as a table has hundreds of them. A control says in `data-tip` what it
// does; its accessible name is its own.
import { useEffect, useId, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { createStore } from '../../platform/store.ts'
import { type Place, placeTip } from './tip-place.ts'
import classes from './tips.module.css'

interface Tip {
  readonly target: Element
  readonly text: string
}

const DELAY_MS = 400
const TIPPED = '[data-tip]'
const shown = createStore<Tip | undefined>(undefined)

/** Shows a tip at once, such as the result of a press. */
export function showTip(target: Element, text: string): void {
  shown.set({ target, text })
}

/** Hides the tip of an element, if it is shown. */
export function hideTip(target: Element): void {
  if (shown.get()?.target === target) shown.set(undefined)
}

/** Mount once. */
export function Tips() {
  useEffect(watchControls, [])
  const tip = useSyncExternalStore(shown.subscribe, shown.get)
  return tip ? <Bubble {...tip} /> : null
}

function Bubble({ target, text }: Tip) {
  const id = useId()
  const element = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState<Place>()
  useLayoutEffect(() => {
    if (element.current) setPlace(placeTip(target.getBoundingClientRect(), element.current, innerWidth))
    // What the name says already is not read twice.
    if (target.getAttribute('aria-label') === text) return undefined
    target.setAttribute('aria-describedby', id)
    return () => target.removeAttribute('aria-describedby')
  }, [id, target, text])
  return (
    <div ref={element} id={id} role="tooltip" className={classes['tip']} style={place?.style} data-side={place?.side}>
      {text}
    </div>
  )
}

/** Disabled, but in reach: why it is disabled is said at once, to fingers as well. */
const isRefused = (target: Element): boolean => target.getAttribute('aria-disabled') === 'true'

/** Shows the tips of controls that are pointed at or have the focus. @returns ends that */
function watchControls(): () => void {
  const controller = new AbortController()
  const options = { signal: controller.signal, capture: true, passive: true }
  /** The last control that was pointed at: a tip that was put away returns only when it is pointed at anew. */
  let over: Element | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const hide = () => {
    clearTimeout(timer)
    shown.set(undefined)
  }
  const show = (target: Element, delayMs: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const text = target.getAttribute('data-tip')
      if (text && target.isConnected) showTip(target, text)
    }, delayMs)
  }
  const tipped = ({ target }: Event): Element | undefined =>
    (target instanceof Element && target.closest(TIPPED)) || undefined
  document.addEventListener(
    'pointerover',
    (event) => {
      const target = event.pointerType === 'touch' ? undefined : tipped(event)
      if (target === over) return
      over = target
      hide()
      if (target) show(target, DELAY_MS)
    },
    options,
  )
  document.addEventListener(
    'focusin',
    (event) => {
      const { target } = event
      if (!(target instanceof Element) || !target.matches(TIPPED)) return
      if (isRefused(target)) show(target, 0)
      else if (target.matches(':focus-visible')) show(target, DELAY_MS)
    },
    options,
  )
  document.addEventListener(
    'pointerdown',
    (event) => {
      const target = tipped(event)
      hide()
      if (target && isRefused(target)) show(target, 0)
    },
    options,
  )
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && hide(), options)
  document.documentElement.addEventListener('pointerleave', hide, { ...options, capture: false })
  document.addEventListener('focusout', hide, options)
  document.addEventListener('scroll', hide, options)
  addEventListener('resize', hide, options)
  return () => {
    controller.abort()
    hide()
  }
}
