// Reviews of host keys, with a database that the test makes.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { DeviceUid } from '@bowline/contract/schemas/common'
import { expect, it } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { HostKeyReviews } from './host-key-reviews.ts'

const uidOf = (digit: string) => DeviceUid.parse(digit.repeat(64))
const [FIRST, SECOND, IDLE] = [uidOf('a'), uidOf('b'), uidOf('c')]
const KEY = Uint8Array.of(1)

/** Runs the continuations of settled promises. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

function setUp() {
  const asked: DeviceUid[][] = []
  const required: DeviceUid[] = []
  const database = { isAway: false }
  const clock = new ManualClock()
  const reviews = new HostKeyReviews({
    clock,
    log: silentLog,
    async hostKeysOf(uids) {
      asked.push([...uids])
      if (database.isAway) throw new Error('the database is away')
      return new Map(uids.map((uid) => [uid, KEY]))
    },
  })
  const add = (uid: DeviceUid, hasLogins = true) =>
    reviews.add(uid, { hasLogins, requireHostKey: () => required.push(uid) })
  return { asked, required, database, clock, reviews, add }
}

it('reads the keys of all devices that are in use at once', async () => {
  const { asked, required, reviews, add } = setUp()
  add(FIRST)
  add(SECOND)
  add(IDLE, false)
  reviews.run()
  await settle()
  expect([asked, required]).toEqual([[[FIRST, SECOND]], [FIRST, SECOND]])
})

it('reads nothing for devices that are not in use, or have gone', async () => {
  const { asked, reviews, add } = setUp()
  const forget = add(FIRST)
  add(IDLE, false)
  forget()
  reviews.run()
  reviews.run(FIRST)
  reviews.run(IDLE)
  await settle()
  expect(asked).toEqual([])
})

it('repeats a review until the database answers', async () => {
  const { asked, required, database, clock, reviews, add } = setUp()
  add(FIRST)
  add(SECOND)
  database.isAway = true
  reviews.run(FIRST)
  await settle()
  reviews.run(SECOND)
  await settle()
  expect([asked, required]).toEqual([[[FIRST]], []])
  database.isAway = false
  clock.advance(1_000)
  await settle()
  expect(asked.flat().toSorted()).toEqual([FIRST, FIRST, SECOND])
  expect(required.toSorted()).toEqual([FIRST, SECOND])
})
