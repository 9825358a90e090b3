// The map's projection (Mercator) and its viewport. World coordinates go from 0 in the north-west to 1 in the south-east.

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Place {
  readonly latitude: number
  readonly longitude: number
}

/** What is shown: the world coordinates of the centre, and by how much the world is wider than the map. */
export interface Viewport extends Point {
  readonly zoom: number
}

/** In pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** Beyond, the projection is infinitely high. */
const MAX_LATITUDE = 85
export const MAX_ZOOM = 4_096
/** Nobody lives in the south of it. */
const TOP = worldOf({ latitude: 80, longitude: 0 }).y
const BOTTOM = worldOf({ latitude: -58, longitude: 0 }).y
/** As near as all of it fits. */
export const WHOLE_WORLD: Viewport = { x: 0.5, y: (TOP + BOTTOM) / 2, zoom: 0 }

export function worldOf({ latitude, longitude }: Place): Point {
  const clipped = Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude))
  const angle = (clipped * Math.PI) / 180
  return {
    x: (longitude + 180) / 360,
    y: 0.5 - Math.log(Math.tan(Math.PI / 4 + angle / 2)) / (2 * Math.PI),
  }
}

export function placeOf({ x, y }: Point): Place {
  return {
    latitude: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
    longitude: x * 360 - 180,
  }
}

/** The viewport within the world: never beyond its edges or further away than all of it. */
export function bounded({ x, y, zoom }: Viewport, { width, height }: Size): Viewport {
  const near = inReach(zoom, { width, height })
  const halfWide = 0.5 / near
  const halfHigh = (0.5 / near) * (height / Math.max(1, width))
  const between = (value: number, low: number, high: number): number =>
    low > high ? (low + high) / 2 : Math.max(low, Math.min(high, value))
  return {
    x: between(x, halfWide, 1 - halfWide),
    y: between(y, TOP + halfHigh, BOTTOM - halfHigh),
    zoom: near,
  }
}

/** A map that is wider than the world is as far away as all of it fits. */
function inReach(zoom: number, { width, height }: Size): number {
  const whole = Math.min(1, height / Math.max(1, width) / (BOTTOM - TOP))
  return Math.max(whole, Math.min(MAX_ZOOM, zoom))
}

/** Zooms by a factor and leaves a point of the map where it is. @param at in shares of the map's width and height */
export function zoomedAt(viewport: Viewport, factor: number, at: Point, size: Size): Viewport {
  const zoom = inReach(viewport.zoom * factor, size)
  const ratio = size.height / Math.max(1, size.width)
  const shift = (share: number): number => (share - 0.5) * (1 / viewport.zoom - 1 / zoom)
  return bounded({ x: viewport.x + shift(at.x), y: viewport.y + shift(at.y) * ratio, zoom }, size)
}

/** Where a place is on the map, in shares of its width and height. */
export function shareOf(place: Place, { x, y, zoom }: Viewport, { width, height }: Size): Point {
  const point = worldOf(place)
  return { x: (point.x - x) * zoom + 0.5, y: ((point.y - y) * zoom * width) / Math.max(1, height) + 0.5 }
}

/** Pixels that a cluster needs. */
const CLUSTER_PX = 52

/** The smallest of the sizes of cells at which clusters do not cover each other. @param steps in degrees, any order */
export function stepFor<Step extends string>(steps: readonly Step[], { zoom }: Viewport, { width }: Size): Step {
  const needed = (CLUSTER_PX * 360) / (Math.max(1, width) * zoom)
  const [largest, ...smaller] = steps.toSorted((a, b) => Number(b) - Number(a))
  if (largest === undefined) throw new RangeError('there is no size of cells')
  return smaller.findLast((step) => Number(step) >= needed) ?? largest
}

/**
 * West, south, east and north of what is shown and a margin, on whole steps, so that small movements ask for nothing.
 * @returns undefined for the whole world
 */
export function boxOf(viewport: Viewport, { width, height }: Size, step: number): string | undefined {
  if (viewport.zoom < 2) return undefined
  const half = 0.75 / viewport.zoom
  const halfHigh = half * (height / Math.max(1, width))
  const northWest = placeOf({ x: viewport.x - half, y: viewport.y - halfHigh })
  const southEast = placeOf({ x: viewport.x + half, y: viewport.y + halfHigh })
  const unit = Math.max(step * 4, 0.01)
  const down = (value: number): number => Math.floor(value / unit) * unit
  const up = (value: number): number => Math.ceil(value / unit) * unit
  const sides = [
    Math.max(-180, down(northWest.longitude)),
    Math.max(-90, down(southEast.latitude)),
    Math.min(180, up(southEast.longitude)),
    Math.min(90, up(northWest.latitude)),
  ]
  return sides.map((side) => String(Number(side.toFixed(4)))).join(',')
}
