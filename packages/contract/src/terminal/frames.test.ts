import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dataFrame, messageFrame, pingFrame, pongFrame, readFrame, takenFrame } from './frames.ts'

const number = fc.nat(Number.MAX_SAFE_INTEGER)

describe('frames', () => {
  it('round-trips every frame', () => {
    fc.assert(
      fc.property(number, fc.uint8Array({ maxLength: 64 }), fc.string(), (value, bytes, text) => {
        expect(readFrame(dataFrame(value, bytes))).toEqual({ kind: 'data', offset: value, bytes })
        expect(readFrame(takenFrame(value))).toEqual({ kind: 'taken', total: value })
        expect(readFrame(pingFrame(value))).toEqual({ kind: 'ping', mark: value })
        expect(readFrame(pongFrame(value))).toEqual({ kind: 'pong', mark: value })
        expect(readFrame(messageFrame({ text }))).toEqual({ kind: 'message', text: JSON.stringify({ text }) })
      }),
    )
  })

  it('rejects everything else without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 32 }), (bytes) => {
        const frame = readFrame(bytes)
        const isFrame = bytes[0] === 3 || (bytes.length >= 9 && (bytes[0] ?? 0) >= 1 && (bytes[0] ?? 0) <= 5)
        expect(frame === undefined || isFrame).toBe(true)
      }),
    )
    expect(readFrame(Uint8Array.of(1, 255, 255, 255, 255, 255, 255, 255, 255))).toBeUndefined()
    expect(readFrame(Uint8Array.of(3, 0xff))).toBeUndefined()
    expect(readFrame(Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 1, 0))).toBeUndefined()
  })
})
