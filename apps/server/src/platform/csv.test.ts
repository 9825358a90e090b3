// CSV that spreadsheets open.
import { describe, expect, it } from 'vitest'
import { csvLine } from './csv.ts'

describe('csvLine', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '  =HYPERLINK("http://x")',
    '＝1',
    '＋1',
    '－1',
    '＠a',
  ])('keeps spreadsheets from running the cell %j', (cell) => {
    expect(csvLine([cell]).startsWith(`"'`)).toBe(true)
  })

  it('quotes cells, doubles quotes, and leaves other text as it is', () => {
    expect(csvLine(['a "b"', 'c,d', 'e\nf', '', "it's", 'a=b'])).toBe(`"a ""b""","c,d","e\nf","","it's","a=b"\r\n`)
  })
})
