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

  it('takes the effect on terminals from user names of strangers', () => {
    const name = '\u001b[31mred\u0007\u009b2J\u202edlo\u0000'
    expect(csvLine([name])).toBe('"\ufffd[31mred\ufffd\ufffd2J\ufffddlo\ufffd"\r\n')
  })

  it('quotes cells, doubles quotes, and leaves other text as it is', () => {
    expect(csvLine(['a "b"', 'c,d', 'e\nf', '', "it's", 'a=b'])).toBe(`"a ""b""","c,d","e\nf","","it's","a=b"\r\n`)
  })
})
