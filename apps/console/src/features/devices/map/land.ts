// Outlines of countries as a path, in world coordinates times 1,000. The file is TopoJSON: arcs that countries share, each
// as differences of whole numbers.
import world from 'world-atlas/countries-110m.json'
import { type Point, worldOf } from './projection.ts'

/** Of the path. */
export const SCALE = 1_000

interface Topology {
  readonly arcs: readonly (readonly (readonly number[])[])[]
  readonly transform: { readonly scale: readonly number[]; readonly translate: readonly number[] }
  readonly objects: { readonly countries: { readonly geometries: readonly { readonly arcs?: unknown }[] } }
}

/** The `d` of a path. Countries across the line at 180 degrees are drawn at both edges. */
export function landPath(): string {
  const { arcs, transform, objects } = world as unknown as Topology
  const [scaleX = 1, scaleY = 1] = transform.scale
  const [left = 0, top = 0] = transform.translate
  const points = arcs.map((arc) => {
    let x = 0
    let y = 0
    return arc.map(([dx = 0, dy = 0]) => {
      x += dx
      y += dy
      return worldOf({ longitude: x * scaleX + left, latitude: y * scaleY + top })
    })
  })
  // A negative number is the complement of the arc that runs the other way; arcs begin where the one before ends.
  const ring = (numbers: readonly number[]): Point[] =>
    numbers.flatMap((number) =>
      number < 0 ? (points[~number]?.toReversed().slice(1) ?? []) : (points[number]?.slice(1) ?? []),
    )
  return objects.countries.geometries
    .flatMap(({ arcs: own }) => ringsOf(own).map((numbers) => drawn(ring(numbers))))
    .join('')
}

/** Rings of a polygon, or of several. */
function ringsOf(arcs: unknown): number[][] {
  if (!Array.isArray(arcs)) return []
  return typeof arcs[0] === 'number' ? [arcs as number[]] : arcs.flatMap(ringsOf)
}

function drawn(ring: readonly Point[]): string {
  const whole = unwrapped(ring)
  const [first] = whole
  const last = whole.at(-1)
  // Around a pole: no outline that could be filled, and none of the map's part of the world.
  if (!first || !last || Math.abs(last.x - first.x) > 0.5) return ''
  const shifts = [0, ...(whole.some(({ x }) => x > 1) ? [-1] : []), ...(whole.some(({ x }) => x < 0) ? [1] : [])]
  return shifts
    .map((shift) => {
      const corners = whole.map(({ x, y }) => `${((x + shift) * SCALE).toFixed(2)} ${(y * SCALE).toFixed(2)}`)
      return `M${corners.join('L')}Z`
    })
    .join('')
}

/** Without jumps from one edge of the world to the other. */
export function unwrapped(ring: readonly Point[]): Point[] {
  let turns = 0
  return ring.map(({ x, y }, at) => {
    const before = ring[at - 1]?.x ?? x
    if (x - before > 0.5) turns -= 1
    else if (before - x > 0.5) turns += 1
    return { x: x + turns, y }
  })
}
