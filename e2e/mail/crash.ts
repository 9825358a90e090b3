// Mails of a server that is killed again and again: after their transaction, while they are sent, and when the mail
// server has a mail whose answer never arrives.
import { operations } from '@bowline/contract/operations'
import { startSmtp } from '../../apps/server/src/mails/testing/smtp.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/wait.ts'
import { mailSettings, writeMails } from './outbox.ts'

const MAILS_PER_ROUND = 10
/** Share of the kills right after the transaction, before any mail has gone out. */
const EARLY = 0.25
const ROUND_MS = 60_000

/** Pseudo-random numbers from 0 to 1 (mulberry32): a failure can be repeated. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface Outcome {
  /** Mails that were committed. */
  readonly written: number
  /** Mails that never arrived. */
  readonly lost: number
  /** Largest number of arrivals of one mail. */
  readonly most: number
}

/** Kills a server once in each round of mails and starts it again. */
export async function killWhileSending(kills: number, seed = 20_261_123): Promise<Outcome> {
  const random = randomNumbers(seed)
  let arrived = 0
  let killAt = Number.POSITIVE_INFINITY
  let killed: Promise<unknown> | undefined
  // The mail counts although its sender dies before the answer.
  const smtp = await startSmtp({}, async () => {
    arrived += 1
    if (arrived === killAt) await kill()
  })
  const server = await startServer({ env: mailSettings(smtp.port) })
  const kill = (): Promise<unknown> => (killed ??= server.process.end('SIGKILL'))
  const written: string[] = []
  try {
    for (let round = 0; round < kills; round += 1) {
      const recipients = Array.from({ length: MAILS_PER_ROUND }, (_, nth) => `r${round}-${nth}@example.com`)
      const isEarly = random() < EARLY
      killed = undefined
      killAt = isEarly ? Number.POSITIVE_INFINITY : arrived + 1 + Math.floor(random() * MAILS_PER_ROUND)
      await writeMails(server.dataFolder, recipients)
      written.push(...recipients)
      if (isEarly) await kill()
      await until(`the server is killed in round ${round}`, () => killed !== undefined, ROUND_MS)
      await kill()
      await server.start()
      const isSent = (recipient: string) => smtp.mails.some(({ to }) => to[0] === recipient)
      await until(`the mails of round ${round} arrive`, () => recipients.every(isSent), ROUND_MS)
      // A mail that a second kill meets may arrive a third time: each round ends with an empty outbox.
      const { call } = await server.client()
      const queued = async () => (await call(operations.mails.list, { query: { state: 'queued' } })).total
      await until(`the outbox is empty after round ${round}`, async () => (await queued()) === 0, ROUND_MS)
    }
    const counts = written.map((recipient) => smtp.mails.filter(({ to }) => to[0] === recipient).length)
    return {
      written: written.length,
      lost: counts.filter((count) => count === 0).length,
      most: Math.max(...counts),
    }
  } finally {
    await server.remove()
    await smtp.close()
  }
}
