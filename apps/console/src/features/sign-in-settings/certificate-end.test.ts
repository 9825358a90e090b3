import { expect, it } from 'vitest'
import { endingSoon } from './certificate-end.ts'

const NOW_MS = Date.parse('2026-11-20T12:00:00Z')
const inDays = (days: number) => ({ ends_at: new Date(NOW_MS + days * 86_400_000).toISOString() })

it('names what ends within 30 days or has ended, the first to end first', () => {
  expect(endingSoon([inDays(30), inDays(31), inDays(-1), inDays(7)], NOW_MS)).toEqual([-1, 7, 30].map(inDays))
  expect(endingSoon([inDays(30.01)], NOW_MS)).toEqual([])
})
