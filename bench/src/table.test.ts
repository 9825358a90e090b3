import { describe, expect, it } from 'vitest'
import type { Row } from './row.ts'
import { figure, renderTable } from './table.ts'

const row: Row = {
  id: 'bulk.down',
  work: 'bulk down',
  peer: 'sshd',
  unit: 'ratio',
  measured: { median: 0.8123, least: 0.5, most: 1.25 },
  target: { better: 'more', must: 0.75, aim: 1 },
  note: '400 of 500 MB/s',
  samples: {},
}

describe('the table', () => {
  it('renders one line per row with its spread, target and verdict', () => {
    const alone: Row = { ...row, work: 'agent', peer: '', unit: 'MB', measured: { median: 57, least: 57, most: 57 } }
    const { target: _, ...free } = alone
    const missed: Row = { ...row, target: { better: 'less', must: 0.25, aim: 0.12 } }
    expect(renderTable([row, missed, free])).toMatchInlineSnapshot(`
      "work       against  measured  least–most  must     aim      verdict
      ────────────────────────────────────────────────────────────────────────────────────
      bulk down  sshd     0.812×    0.500–1.25  ≥ 0.75×  ≥ 1×     ok       400 of 500 MB/s
      bulk down  sshd     0.812×    0.500–1.25  ≤ 0.25×  ≤ 0.12×  MISSED   400 of 500 MB/s
      agent               57.0 MB                                          400 of 500 MB/s
      "
    `)
  })
})

describe('a figure', () => {
  it('renders three significant digits and no exponent', () => {
    expect([0, 0.00123, 0.0999, 9.87654, 12.345, 123.4, 98_765].map(figure)).toEqual([
      '0',
      '0.00123',
      '0.0999',
      '9.88',
      '12.3',
      '123',
      '98765',
    ])
  })

  it('renders NaN as such', () => {
    expect(figure(Number.NaN)).toBe('NaN')
  })
})
