// The search for a device's host key, with servers that do not answer.
import { duplexPair } from 'node:stream'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { until } from '@bowline/testkit/until'
import { describe, expect, it } from 'vitest'
import { InnerFailure, scanInner } from './inner-connection.ts'

/** Outcome of the search when 31 seconds have passed. */
async function outcomeOf(openSsh: Parameters<typeof scanInner>[0]['openSsh']) {
  const clock = new ManualClock()
  const scan = scanInner({ openSsh }, [], clock).catch((error: unknown) => error)
  // The opened connection is in use by then.
  await new Promise(setImmediate)
  clock.advance(31_000)
  const failure = await scan
  // What is still to be sent has some seconds.
  clock.advance(5_000)
  if (!(failure instanceof InnerFailure)) throw new Error('the search has found something')
  return failure.cause.message
}

describe('the search for a host key ends after 30 seconds', () => {
  it('with a server that says nothing, and closes what was opened', async () => {
    const [near, far] = duplexPair()
    far.resume()
    expect(await outcomeOf(() => Promise.resolve(near))).toContain('answer')
    await until(() => near.destroyed)
  })

  it('with a client that opens no channel, and closes what it opens later', async () => {
    const [near] = duplexPair()
    const late = Promise.withResolvers<typeof near>()
    expect(await outcomeOf(() => late.promise)).toBe('The SSH server of the device did not answer in time.')
    late.resolve(near)
    await until(() => near.destroyed)
  })
})
