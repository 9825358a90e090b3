// Sends audit streams. Each entry arrives at least once and in order: a crash between the answer and our row sends the batch
// again, with the same ids of entries. Nodes share the work by leases. The egress check decides whether an address is dialled,
// redirects are not followed, and an answer is neither kept nor shown.
import { BackgroundLoop } from '@bowline/base/background-loop'
import { signatureOf } from '../alerts/signature.ts'
import { retrySeconds } from '../alerts/sending.ts'
import type { AlertDeps } from '../alerts/deps.ts'
import { audit, entriesAfter } from '../audit/service.ts'
import { FetchRefused, guardedFetch } from '../platform/network/guarded-fetch.ts'
import { batchOf } from './body.ts'
import { Horizon } from './horizon-store.ts'
import { type StreamRow, claimStream, markArrived, markFailed } from './store.ts'

/**
 * Streams that one process sends at once, of these those whose receivers fail or are slow, and those of one namespace: slow
 * receivers hold up their own.
 */
const AT_ONCE = 20
const AT_ONCE_SLOW = 10
const AT_ONCE_PER_NAMESPACE = 2
/** A receiver that takes longer is slow, and counts as such for a while: it may be quick now and then. */
const SLOW_MS = 1_000
const SLOW_FOR_MS = 600_000
const MAX_REMEMBERED = 10_000
const MAX_ENTRIES = 500
const TIMEOUT_MS = 10_000
/** Time in which a batch that is too large for its receiver is sent in smaller ones. */
const SMALLER_MS = 20_000
/** Longer than an attempt may take. */
const LEASE_SECONDS = 60
const MAX_ANSWER_BYTES = 16_384

export type StreamDeps = Pick<AlertDeps, 'system' | 'clock' | 'log' | 'secretKey' | 'egress' | 'contextOf'>

/** Names under which a stream's secrets are sealed. */
export const sealNames = {
  url: (stream: string): string => `audit-stream-url:${stream}`,
  secret: (stream: string): string => `audit-stream-secret:${stream}`,
  authorization: (stream: string): string => `audit-stream-authorization:${stream}`,
} as const

export interface StreamSender {
  /** Looks for entries to send. */
  wake(): void
  /** Resolves when every stream that is due is being sent. */
  settled(): Promise<void>
  /** Resolves when the batches in hand are done. */
  stop(): Promise<void>
}

interface Attempt {
  readonly tenant: string
  readonly isSlow: boolean
  readonly ended: Promise<void>
}

export function createStreamSender(deps: StreamDeps): StreamSender {
  const { system, log, clock } = deps
  const horizon = new Horizon(system)
  const attempts = new Map<string, Attempt>()
  /** Streams whose receiver was slow, with the time until which this counts. */
  const slow = new Map<string, number>()
  const stopping = new AbortController()

  const loop = new BackgroundLoop(async () => {
    try {
      const upTo = await horizon.read()
      while (!stopping.signal.aborted && attempts.size < AT_ONCE) {
        const except = { streams: [...attempts.keys()], tenants: busyTenants(), ...slowOnes() }
        const stream = await claimStream(system, { upTo, seconds: LEASE_SECONDS, ...except })
        if (!stream) return
        attempt(stream, upTo)
      }
    } catch (error) {
      // The next look tries again.
      log.error('audit-streams.error', { err: error })
    }
  })

  function attempt(stream: StreamRow, upTo: number): void {
    const { id, tenant_id: tenant, failing_since } = stream
    const begun = clock.monotonic()
    const ended = send(deps, stream, upTo, stopping.signal)
      .catch((error: unknown) => log.error('audit-streams.error', { stream: id, err: error }))
      .finally(() => {
        attempts.delete(id)
        if (clock.monotonic() - begun > SLOW_MS) remember(id)
        loop.wake()
      })
    attempts.set(id, { tenant, isSlow: failing_since !== null || isSlow(id), ended })
  }

  function remember(id: string): void {
    slow.delete(id)
    const [oldest] = slow.keys()
    if (oldest !== undefined && slow.size >= MAX_REMEMBERED) slow.delete(oldest)
    slow.set(id, clock.monotonic() + SLOW_FOR_MS)
  }

  const isSlow = (id: string): boolean => (slow.get(id) ?? -Infinity) > clock.monotonic()

  /** Which streams have to wait while many of the slow ones are sent: others find places at any time. */
  function slowOnes(): { readonly slow: readonly string[]; readonly failing: boolean } {
    const count = [...attempts.values()].filter((one) => one.isSlow).length
    if (count < AT_ONCE_SLOW) return { slow: [], failing: true }
    return { slow: [...slow.keys()].filter(isSlow), failing: false }
  }

  function busyTenants(): string[] {
    const open = new Map<string, number>()
    for (const { tenant } of attempts.values()) open.set(tenant, (open.get(tenant) ?? 0) + 1)
    return [...open].filter(([, count]) => count >= AT_ONCE_PER_NAMESPACE).map(([tenant]) => tenant)
  }

  return {
    wake: () => loop.wake(),
    settled: () => loop.settled(),
    async stop() {
      stopping.abort()
      await loop.stop()
      await Promise.all([...attempts.values()].map(({ ended }) => ended))
    },
  }
}

async function send(deps: StreamDeps, stream: StreamRow, upTo: number, stopping: AbortSignal): Promise<void> {
  const { system, log, clock } = deps
  const { id, tenant_id: tenant, position: after, nouns, recordings, format } = stream
  const [first, ...others] = await entriesAfter(deps.contextOf(tenant), system, {
    after,
    upTo,
    nouns,
    recordings,
    limit: MAX_ENTRIES,
  })
  if (!first) return markArrived(system, stream, upTo, stream.answer)
  const until = clock.monotonic() + SMALLER_MS
  let batch = batchOf(format, [first, ...others])
  let outcome = await post(deps, stream, batch)
  while (outcome.isTooLarge && batch.count > 1 && clock.monotonic() < until && !stopping.aborted) {
    batch = batchOf(format, [first, ...others.slice(0, Math.floor(batch.count / 2) - 1)])
    outcome = await post(deps, stream, batch)
  }
  const { arrived, answer } = outcome
  if (arrived) return markArrived(system, stream, batch.last, answer)
  log.warn('audit-stream.postponed', { stream: id, tenant, attempts: stream.attempts, answer })
  await system.transaction().execute(async (db) => {
    const isPaused = await markFailed(db, stream, answer, retrySeconds(stream.attempts))
    const ctx = { ...deps.contextOf(tenant), db }
    if (isPaused) await audit(ctx, 'audit-stream.disable', id, { name: stream.name, reason: answer })
  })
}

interface Outcome {
  readonly arrived: boolean
  /** A status or a reason, nothing of what the receiver has written. */
  readonly answer: string
  /** The receiver takes smaller bodies only (413, RFC 9110, section 15.5.14). */
  readonly isTooLarge?: boolean
}

/** Sends a body to the receiver of a stream. */
export async function post(
  { secretKey, egress, clock, log }: Pick<StreamDeps, 'secretKey' | 'egress' | 'clock' | 'log'>,
  { id, sealed_url, sealed_secret, sealed_authorization }: StreamRow,
  { body, type }: { readonly body: string; readonly type: string },
): Promise<Outcome> {
  let url: string
  let secret: string
  let authorization: string | undefined
  try {
    url = secretKey.open(sealNames.url(id), sealed_url).toString()
    secret = secretKey.open(sealNames.secret(id), sealed_secret).toString()
    const sealed = sealed_authorization
    authorization = sealed ? secretKey.open(sealNames.authorization(id), sealed).toString() : undefined
  } catch (error) {
    log.error('audit-streams.error', { stream: id, err: error })
    return { arrived: false, answer: 'The server could not read the address; its log says why.' }
  }
  try {
    const { status } = await guardedFetch(url, egress, {
      method: 'POST',
      headers: {
        'content-type': type,
        'user-agent': 'Bowline',
        'x-bowline-stream': id,
        'x-bowline-signature': signatureOf(secret, body, clock.now()),
        ...(authorization === undefined ? {} : { authorization }),
      },
      body,
      maxBytes: MAX_ANSWER_BYTES,
      statusOnly: true,
      timeoutMs: TIMEOUT_MS,
    })
    return { arrived: status >= 200 && status < 300, answer: `It answered ${status}.`, isTooLarge: status === 413 }
  } catch (error) {
    if (error instanceof FetchRefused) return { arrived: false, answer: `Not sent: ${error.message}.` }
    throw error
  }
}
