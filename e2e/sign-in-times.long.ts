// Measures whether the time of a refused sign-in reveals which accounts exist: wrong passwords for an existing and for
// an unknown name, alternating, each from its own source. Prints medians and the p-value of the Mann-Whitney test;
// asserts nothing, because a machine under load distorts the result.
import { expect, it } from 'vitest'
import { startServer } from './support/server.ts'

const PAIRS = 300

it('prints how long refused sign-ins take', async () => {
  // Without lockout every guess is checked; failures are still counted and logged.
  const env = { BOWLINE_TRUSTED_PROXIES: '127.0.0.1', BOWLINE_MAXIMUM_ACCOUNT_LOCKOUT: '0' }
  const server = await startServer({ env })
  try {
    const { username } = server.account
    const times = { known: [] as number[], unknown: [] as number[] }
    for (let pair = 0; pair < PAIRS * 2; pair += 1) {
      const kind = pair % 2 === 0 ? 'known' : 'unknown'
      const from = `198.18.${pair >> 8}.${pair & 255}`
      const startedAt = performance.now()
      const response = await fetch(`${server.origin}/api/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
        body: JSON.stringify({ username: kind === 'known' ? username : 'nobody-yet', password: 'wrong' }),
      })
      await response.arrayBuffer()
      expect(response.status).toBe(401)
      times[kind].push(performance.now() - startedAt)
    }
    const median = (values: readonly number[]): string => (values.toSorted((a, b) => a - b)[PAIRS / 2] ?? 0).toFixed(2)
    const p = mannWhitney(times.known, times.unknown).toPrecision(3)
    process.stdout.write(
      `n=${PAIRS} pairs: known ${median(times.known)} ms, unknown ${median(times.unknown)} ms, p=${p}\n`,
    )
  } finally {
    await server.remove()
  }
}, 300_000)

/** Two-sided p-value of the Mann-Whitney U test by its normal approximation; times have no ties worth correcting. */
function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const ranked = [...a.map((value) => ({ value, isA: true })), ...b.map((value) => ({ value, isA: false }))]
  ranked.sort((x, y) => x.value - y.value)
  const rankSum = ranked.reduce((sum, { isA }, index) => sum + (isA ? index + 1 : 0), 0)
  const u = rankSum - (a.length * (a.length + 1)) / 2
  const mean = (a.length * b.length) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  return 2 * (1 - normal(Math.abs(u - mean) / deviation))
}

/** Cumulative distribution of the standard normal for z ≥ 0 (Abramowitz and Stegun 26.2.17, error below 1e-7). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
  const tail = ((((1.330274429 * t - 1.821255978) * t + 1.781477937) * t - 0.356563782) * t + 0.31938153) * t
  return 1 - density * tail
}
