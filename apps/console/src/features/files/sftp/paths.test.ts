import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf, joined, nameFault, parentOf, plainText, savedName, stepsTo, textOf } from './paths.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('names of a device', () => {
  it('come back as the same bytes, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: 'binary' }), (bytes, text) => {
        expect([...bytesOf(textOf(bytes))]).toEqual([...bytes])
        expect([...bytesOf(plainText(text))]).toEqual([...utf8(text)])
      }),
    )
  })

  it('are shown as they are, in every script', () => {
    for (const name of ['notes.txt', 'Übung 1', '写真', 'שלום', '👍', 'a b']) expect(textOf(utf8(name))).toBe(name)
  })

  it('are shown without characters that hide or reorder others', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: 'binary' }), (bytes, text) => {
        expect(textOf(bytes) + plainText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
    )
    expect(textOf(utf8('photo\u202Egpj.exe'))).toBe(String.raw`photo\xe2\x80\xaegpj.exe`)
    expect(textOf(utf8('\u001B[2J\n'))).toBe(String.raw`\x1b[2J\x0a`)
    expect(textOf(Uint8Array.of(0x61, 0xff, 0xc3, 0x28))).toBe(String.raw`a\xff\xc3(`)
    expect(textOf(utf8(String.raw`\x41`))).toBe(String.raw`\\x41`)
  })

  it('can be none that would be another path', () => {
    expect(['', '.', '..', 'a/b', String.raw`a\x2fb`, String.raw`\x00`, 'a'.repeat(256), 'ok'].map(nameFault)).toEqual([
      'empty',
      'dots',
      'dots',
      'slash',
      'slash',
      'zero',
      'long',
      undefined,
    ])
  })
})

describe('paths', () => {
  it('are joined, and lead back to their parents', () => {
    expect([joined('/', 'a'), joined('/a', 'b'), joined('/a', '/etc')]).toEqual(['/a', '/a/b', '/etc'])
    expect(['/a/b', '/a', '/', '/a/'].map(parentOf)).toEqual(['/a', '/', '/', '/'])
    expect(stepsTo('/srv/data')).toEqual([
      { name: '/', path: '/' },
      { name: 'srv', path: '/srv' },
      { name: 'data', path: '/srv/data' },
    ])
  })
})

describe('the name that a download is saved under', () => {
  it('is no path, no device of Windows, and hides nothing', () => {
    const saved = (name: string) => savedName(plainText(name))
    expect(saved('report 1.pdf')).toBe('report 1.pdf')
    expect(saved('..')).toBe('__')
    expect(saved('.bashrc')).toBe('_bashrc')
    expect(saved(String.raw`a\..\b:c*?"<>|`)).toBe('a_.._b_c______')
    expect(saved('photo\u202Egpj.exe')).toBe('photo_gpj.exe')
    expect(saved('nul.txt')).toBe('_nul.txt')
    expect(savedName('')).toBe('file')
    expect(saved(`${'x'.repeat(300)}.tar`)).toBe(`${'x'.repeat(196)}.tar`)
  })

  it('is always one that can be saved', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        expect(savedName(textOf(bytes))).toMatch(/^[^./\\:*?"<>|\p{Cc}\p{Cf}][^/\\:*?"<>|\p{Cc}\p{Cf}]{0,200}$/u)
      }),
    )
  })
})
