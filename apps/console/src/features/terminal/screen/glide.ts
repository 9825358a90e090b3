// Momentum of touch scrolling: movement that goes on after the finger was lifted, and slows down.

/** After so many milliseconds the speed is a third of what it was (1/e). */
const DECAY_MS = 325
/** Pixels per millisecond: slower, nobody meant to throw, and nobody sees it move. */
const LEAST_SPEED = 0.05
/** A finger that rested for so long before it was lifted has not thrown. */
const REST_MS = 60

export interface Glide {
  stop(): void
}

/** @returns pixels from `from` to `to` milliseconds after the throw, at a speed in pixels per millisecond that decays */
export function glided(speed: number, from: number, to: number): number {
  return speed * DECAY_MS * (Math.exp(-from / DECAY_MS) - Math.exp(-to / DECAY_MS))
}

/** True when the speed is too low to be seen after so many milliseconds. */
export function hasStopped(speed: number, after: number): boolean {
  return Math.abs(speed) * Math.exp(-after / DECAY_MS) < LEAST_SPEED
}

/**
 * @param speed of the finger, pixels per millisecond
 * @param restedMs since its last movement
 * @param scrollBy gets pixels, frame by frame
 * @returns undefined when nothing moves: the finger had stopped, or the person wants less motion
 */
export function startGlide(speed: number, restedMs: number, scrollBy: (pixels: number) => void): Glide | undefined {
  if (restedMs > REST_MS || hasStopped(speed, 0)) return undefined
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined
  const start = performance.now()
  let before = 0
  let frame = requestAnimationFrame(step)
  function step(): void {
    const now = performance.now() - start
    scrollBy(glided(speed, before, now))
    before = now
    if (!hasStopped(speed, now)) frame = requestAnimationFrame(step)
  }
  return { stop: () => cancelAnimationFrame(frame) }
}
