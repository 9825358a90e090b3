import { describe, expect, it } from 'vitest'
import { metricOf } from './metrics.ts'

const text =
  '# HELP bowline_agents Devices\n# TYPE bowline_agents gauge\nbowline_agents 2000\nlag_max 0.0123\nlag 1e-7\n'

describe('a metric', () => {
  it('reads a metric by its full name', () => {
    expect([metricOf(text, 'bowline_agents'), metricOf(text, 'lag_max'), metricOf(text, 'lag')]).toEqual([
      2000, 0.0123, 1e-7,
    ])
  })

  it('throws for a missing metric instead of returning zero', () => {
    expect(() => metricOf(text, 'bowline')).toThrow('no bowline')
  })
})
