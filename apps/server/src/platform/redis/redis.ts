// Redis or Valkey beside the database, which stays the truth: buckets of rates, and wake-ups of other nodes. Nothing is
// kept there that cannot be lost. Whoever asks while it is away is told so at once, and uses the database.
import type { RedisClientType, createClient } from '@redis/client'
import type { Clock } from '@bowline/base/clock'
import type { Log } from '../log.ts'
import { HAS_TOKEN, REFUND_TOKEN, TAKE_TOKEN } from './scripts.ts'

/** Time for an answer: a statement of the database takes less. */
const ANSWER_MS = 500
/** A Redis that has not answered in time is left alone for this long. */
const REST_MS = 3_000
const CONNECT_MS = 3_000
const RETRY = { firstMs: 100, mostMs: 5_000 }
/** Commands that wait for an answer. */
const MAX_WAITING = 10_000

/** Redis cannot be used now. */
export class RedisAway extends Error {
  constructor(cause?: unknown) {
    super('Redis does not answer.', cause === undefined ? {} : { cause })
    this.name = 'RedisAway'
  }
}

export interface RedisDeps {
  /** `redis://` or `rediss://`, with user, password and number of the database. */
  readonly url: string
  /** Of every key and channel, so that installations can share a server. */
  readonly prefix: string
  readonly clock: Clock
  readonly log: Log
}

export interface Redis {
  readonly isReady: boolean
  /** A bucket of tokens; its times in ms. All three reject with {@link RedisAway}, also where Redis has no memory left. */
  takeToken(name: string, tokenMs: number, burst: number): Promise<boolean>
  refundToken(name: string, tokenMs: number): Promise<void>
  hasToken(name: string, tokenMs: number, burst: number): Promise<boolean>
  /** Wakes everybody who is subscribed to the channel, this process too. @returns false while Redis is away */
  wake(channel: string): Promise<boolean>
  /** Calls `woken` for each wake-up, and each time the subscription stands: some may have been missed. */
  onWake(channel: string, woken: () => void): void
  close(): void
}

/** Answers with which Redis refuses a login or a command to this login. */
const REFUSALS = /^(WRONGPASS|NOAUTH|NOPERM|ERR (invalid password|Client sent AUTH|AUTH))/

/** True for a refusal that waiting does not change. */
export function isRefusal(error: unknown): error is Error {
  const own = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return own instanceof Error && REFUSALS.test(own.message)
}

/** The server's place without its password. */
export function placeOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname} port ${port === '' ? '6379' : port}`
}

function sentence(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/([^.!?])$/, '$1.')
}

function clientOf(create: typeof createClient, url: string, mayRetry: () => boolean): RedisClientType {
  return create({
    url,
    name: 'bowline',
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_WAITING,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy(retries, cause) {
        if (isRefusal(cause) && !mayRetry()) return cause
        return Math.min(RETRY.mostMs, RETRY.firstMs * 2 ** Math.min(retries, 10))
      },
    },
  })
}

/**
 * Connects. A Redis that is away is no failure: it is used as soon as it answers.
 * @throws {Error} when it refuses user or password
 */
export async function connectRedis({ url, prefix, clock, log }: RedisDeps): Promise<Redis> {
  let isStarted = false
  let isAway = false
  let restUntil = 0
  // Loaded only where a Redis is set.
  const { createClient: create } = await import('@redis/client')
  const commands = clientOf(create, url, () => isStarted)
  const subscriber = clientOf(create, url, () => isStarted)
  const channels = new Map<string, () => void>()
  /** Those that the client subscribes to again by itself after each connection. */
  const subscribed = new Set<string>()

  const lost = (error: unknown): void => {
    if (!isAway) log.warn('redis.lost', { place: placeOf(url), err: error })
    isAway = true
  }
  const found = (): void => {
    log.info('redis.connected', { place: placeOf(url) })
    isAway = false
    restUntil = 0
  }
  commands.on('error', lost).on('ready', found)
  // Its outage shows at the other connection, which is made and lost with it.
  subscriber
    .on('error', () => undefined)
    .on('ready', () => {
      for (const [channel, woken] of channels) {
        subscribe(channel, woken)
        woken()
      }
    })

  function subscribe(channel: string, woken: () => void): void {
    if (subscribed.has(channel) || !subscriber.isReady) return
    subscribed.add(channel)
    subscriber.subscribe(prefix + channel, () => woken()).catch(() => subscribed.delete(channel))
  }

  /** Resolves when the first attempt has succeeded or failed. */
  function firstAttempt(client: RedisClientType): Promise<void> {
    return new Promise((resolve, reject) => {
      client.once('error', (error) => {
        if (!isRefusal(error)) resolve()
      })
      client.connect().then(
        () => resolve(),
        (error: unknown) => (isRefusal(error) ? reject(error) : resolve()),
      )
    })
  }

  /** An answer in time, or {@link RedisAway}. */
  async function ask<T>(command: () => Promise<T>): Promise<T> {
    if (!commands.isReady || clock.monotonic() < restUntil) throw new RedisAway()
    const { promise: silence, reject } = Promise.withResolvers<never>()
    const cancel = clock.after(ANSWER_MS, () => {
      restUntil = clock.monotonic() + REST_MS
      const away = new RedisAway()
      lost(away)
      reject(away)
    })
    try {
      const answer = await Promise.race([command(), silence])
      // Its connection stood all the time: it was only slow.
      if (isAway) found()
      return answer
    } catch (error) {
      if (error instanceof RedisAway) throw error
      // It answers, but not with what was asked for: it has no memory left, or is loading its data.
      log.debug('redis.lost', { err: error })
      throw new RedisAway(error)
    } finally {
      cancel()
    }
  }

  const run = (script: string, name: string, ...args: readonly number[]): Promise<unknown> =>
    ask(() => commands.eval(script, { keys: [`${prefix}rate:${name}`], arguments: args.map(String) }))

  const close = (): void => {
    for (const client of [commands, subscriber]) if (client.isOpen) client.destroy()
  }
  try {
    await Promise.all([firstAttempt(commands), firstAttempt(subscriber)])
    if (commands.isReady) {
      await run(HAS_TOKEN, 'probe', 1_000, 1).catch((error: unknown) => {
        if (isRefusal(error)) throw error
      })
    }
  } catch (error) {
    close()
    const said = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new Error(
      `Redis at ${placeOf(url)} refuses this server: ${sentence(said)} ` +
        'Check user and password of BOWLINE_REDIS_URL.',
      { cause: error },
    )
  }
  isStarted = true

  return {
    get isReady() {
      return commands.isReady && clock.monotonic() >= restUntil
    },
    takeToken: async (name, tokenMs, burst) => (await run(TAKE_TOKEN, name, tokenMs, burst)) === 1,
    refundToken: async (name, tokenMs) => void (await run(REFUND_TOKEN, name, tokenMs)),
    hasToken: async (name, tokenMs, burst) => (await run(HAS_TOKEN, name, tokenMs, burst)) === 1,
    wake: (channel) =>
      ask(() => commands.publish(prefix + channel, '')).then(
        () => true,
        () => false,
      ),
    onWake(channel, woken) {
      channels.set(channel, woken)
      subscribe(channel, woken)
    },
    close,
  }
}
