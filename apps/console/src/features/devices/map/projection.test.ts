import { describe, expect, it } from 'vitest'
import { WHOLE_WORLD, bounded, boxOf, placeOf, shareOf, stepFor, worldOf, zoomedAt } from './projection.ts'

const size = { width: 1_000, height: 500 }
const BERLIN = { latitude: 52.52, longitude: 13.4 }
const STEPS = ['30', '10', '3', '1', '0.3'] as const

describe('the projection', () => {
  it('has the equator and Greenwich in its middle, and finds places again', () => {
    expect(worldOf({ latitude: 0, longitude: 0 })).toEqual({ x: 0.5, y: 0.5 })
    const again = placeOf(worldOf(BERLIN))
    expect(again.latitude).toBeCloseTo(BERLIN.latitude, 6)
    expect(again.longitude).toBeCloseTo(BERLIN.longitude, 6)
  })
})

describe('the viewport', () => {
  it('leaves the point under the pointer where it is while zooming', () => {
    const start = bounded({ ...worldOf(BERLIN), zoom: 4 }, size)
    const at = { x: 0.7, y: 0.6 }
    const under = (viewport: typeof start) => ({
      x: viewport.x + (at.x - 0.5) / viewport.zoom,
      y: viewport.y + ((at.y - 0.5) / viewport.zoom) * 0.5,
    })
    const near = zoomedAt(start, 3, at, size)
    expect(near.zoom).toBe(12)
    expect(under(near).x).toBeCloseTo(under(start).x, 9)
    expect(under(near).y).toBeCloseTo(under(start).y, 9)
  })

  it('stays within the world', () => {
    const west = bounded({ x: -3, y: 0.4, zoom: 2 }, size)
    expect(west.x).toBe(0.25)
    const whole = bounded(WHOLE_WORLD, size)
    expect(whole.zoom).toBeLessThan(1)
    expect(bounded({ ...whole, zoom: 0.01 }, size)).toEqual(whole)
    expect(bounded(WHOLE_WORLD, { width: 300, height: 600 }).zoom).toBe(1)
    for (const latitude of [-50, 75]) {
      const { y } = shareOf({ latitude, longitude: 0 }, whole, size)
      expect(y > 0 && y < 1).toBe(true)
    }
    expect(shareOf(placeOf(west), west, size)).toEqual({ x: expect.closeTo(0.5), y: expect.closeTo(0.5) })
  })
})

describe('cells', () => {
  it('are smaller the nearer the map is, and never smaller than a cluster', () => {
    const of = (zoom: number) => stepFor(STEPS, { ...WHOLE_WORLD, zoom }, size)
    expect([1, 2, 7, 20, 10_000].map(of)).toEqual(['30', '10', '3', '1', '0.3'])
  })

  it('are asked for in a box on whole steps, which small movements do not change', () => {
    const viewport = bounded({ ...worldOf(BERLIN), zoom: 16 }, size)
    const box = boxOf(viewport, size, 3)
    expect(box).toBe(boxOf({ ...viewport, x: viewport.x + 0.0005 }, size, 3))
    const [west = 0, south = 0, east = 0, north = 0] = (box ?? '').split(',').map(Number)
    expect(west < BERLIN.longitude && BERLIN.longitude < east).toBe(true)
    expect(south < BERLIN.latitude && BERLIN.latitude < north).toBe(true)
    expect(boxOf(bounded(WHOLE_WORLD, size), size, 30)).toBeUndefined()
  })
})
