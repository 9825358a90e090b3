import { describe, expect, it } from 'vitest'
import { secondsAhead } from './server-api.ts'

const DATE = 'Sun, 29 Nov 2026 04:02:50 GMT'
const AT = Date.parse(DATE)

describe('how far the clock is ahead of the server', () => {
  it.each([
    ['the second has just begun', AT, AT + 5, 0],
    ['the second is nearly over', AT + 980, AT + 999, 0],
    ['the next one began while the answer was on its way', AT + 900, AT + 2_400, 0],
    ['the server is a little ahead', AT - 30, AT - 10, 0],
    ['it is ahead by a minute', AT + 60_300, AT + 60_310, 59],
    ['it is behind by a minute', AT - 60_010, AT - 60_000, -60],
  ])('%s', (_, sentAt, receivedAt, seconds) => {
    expect(secondsAhead(sentAt, receivedAt, DATE)).toBeCloseTo(seconds)
  })

  it.each([undefined, 'yesterday'])('is unknown with the date %s', (date) => {
    expect(secondsAhead(AT, AT, date)).toBeUndefined()
  })
})
