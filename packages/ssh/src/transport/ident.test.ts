// Identification lines, valid and invalid, split at every boundary.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { IdentReader } from './ident.ts'

test.each([
  ['SSH-2.0-OpenSSH_9.2p1 Debian-2\r\nrest', 'SSH-2.0-OpenSSH_9.2p1 Debian-2'],
  ['SSH-2.0-x\nrest', 'SSH-2.0-x'],
  ['SSH-1.99-old\r\nrest', 'SSH-1.99-old'],
])('reads %j however it is split', (line, ident) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: line.length }), (cut) => {
      const reader = new IdentReader()
      const all = Buffer.from(line)
      const first = reader.push(all.subarray(0, cut))
      const found = first ?? reader.push(all.subarray(cut))
      expect(found?.ident).toBe(ident)
      expect('rest'.startsWith(found?.rest.toString() ?? '?')).toBe(true)
    }),
  )
})

describe('invalid lines', () => {
  test.each([
    'GET / HTTP/1.1\r\n',
    'SSH-1.5-ancient\r\n',
    'SSH-2.0-\r\n',
    'SSH-2.0-bell\x07\r\n',
    'SSH-2.0-nul\0\r\n',
    '\r\nSSH-2.0-x\r\n',
    `SSH-2.0-${'x'.repeat(300)}\r\n`,
    'x'.repeat(10_000),
  ])('rejects %j', (line) => {
    expect(() => new IdentReader().push(Buffer.from(line))).toThrow(Fault)
  })

  test('rejects another protocol at its first byte, without waiting for the line', () => {
    expect(() => new IdentReader().push(Buffer.from([0x16]))).toThrow('not an SSH identification')
  })
})
