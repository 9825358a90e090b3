// Polls the health of the devices whose links this node holds. A device cannot report more often than it is polled, and one
// that does not report costs one refused stream. Reports are untrusted.
import type { Clock } from '@bowline/base/clock'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Link, LinkCause, LinkStream, StreamHandler } from '@bowline/link/api'
import { HealthReport } from '@bowline/link/stream-messages'
import type { DeviceActor } from '../../context.ts'
import type { FollowedHealth, HealthCollector } from '../../device-health/collector.ts'
import type { Reading } from '../../device-health/reading.ts'
import type { Log } from '../../platform/log.ts'

const TURN_MS = 1_000
/** After a restart thousands of devices connect within seconds. */
const POLLED_AT_ONCE = 100
/** A device is first polled between these times after its link is up. */
const FIRST_MS = { from: 2_000, to: 10_000 }
/** A report takes milliseconds; after this the stream is closed. */
const ANSWER_MS = 30_000
/** A report is one message: the stream carries no bytes. */
const WINDOW_BYTES = 1_024
/** Weight of a new round trip in the smoothed one, as in RFC 6298. */
const GAIN = 1 / 8

export interface HealthPollerDeps {
  readonly collector: Pick<HealthCollector, 'follow'>
  readonly clock: Clock
  readonly log: Log
  /** Whether a link is the one that people reach the device by. */
  readonly isNewest: (uid: DeviceUid, link: Link) => boolean
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/** Events of a link, from its owner. */
export interface PolledLink {
  /** A ping has been answered; round trip in milliseconds. */
  alive(roundTripMs: number): void
  closed(): void
}

export interface HealthPoller {
  add(device: DeviceActor, link: Link): PolledLink
  start(): void
  close(): void
}

interface Polled {
  readonly uid: DeviceUid
  readonly link: Link
  readonly health: FollowedHealth
  dueAt: number
  roundTripMs: number | undefined
  /** Why it is not polled any more. */
  silent: Exclude<Reading['report'], HealthReport> | undefined
  /** The stream of a poll without an answer. */
  stream: { readonly of: LinkStream; readonly since: number } | undefined
}

export function createHealthPoller({ collector, clock, log, isNewest, random }: HealthPollerDeps): HealthPoller {
  const links = new Set<Polled>()
  const intervalMs = LIMITS.health.intervalSeconds * 1_000
  let stop = (): void => undefined

  function turn(): void {
    const now = clock.monotonic()
    let left = POLLED_AT_ONCE
    for (const entry of links) {
      if (entry.stream && now - entry.stream.since >= ANSWER_MS) entry.stream.of.close(undefined, 'drop')
      if (entry.dueAt > now || left === 0) continue
      // Spread from then on, whenever the links have begun.
      entry.dueAt = now + intervalMs * (0.9 + random() / 5)
      if (!isNewest(entry.uid, entry.link)) continue
      left -= 1
      poll(entry)
    }
  }

  function poll(entry: Polled): void {
    if (entry.silent !== undefined) return note(entry, entry.silent)
    if (entry.stream) return
    const handler = (stream: LinkStream): StreamHandler => ({
      data: () => stream.close(undefined, 'drop'),
      control(message) {
        if (entry.stream?.of !== stream) return
        entry.stream = undefined
        stream.close(undefined, 'drop')
        const report = HealthReport.safeParse(message)
        if (report.success) note(entry, report.data)
        else log.debug('device-health.malformed', { device: entry.uid })
      },
      closed(cause) {
        if (entry.stream?.of !== stream) return
        entry.stream = undefined
        entry.silent = silenceOf(cause)
        if (entry.silent !== undefined) note(entry, entry.silent)
      },
    })
    const stream = entry.link.open('health', {}, handler, { windowBytes: WINDOW_BYTES })
    entry.stream = { of: stream, since: clock.monotonic() }
  }

  function note({ health, roundTripMs }: Polled, report: Reading['report']): void {
    health.note({ at: clock.now(), report, latencyMs: roundTripMs })
  }

  return {
    add({ uid, tenant }, link) {
      const health = collector.follow({ uid, tenant })
      const dueAt = clock.monotonic() + FIRST_MS.from + random() * (FIRST_MS.to - FIRST_MS.from)
      const entry: Polled = { uid, link, health, dueAt, roundTripMs: undefined, silent: undefined, stream: undefined }
      links.add(entry)
      return {
        alive(ms) {
          entry.roundTripMs = entry.roundTripMs === undefined ? ms : entry.roundTripMs + (ms - entry.roundTripMs) * GAIN
        },
        closed() {
          links.delete(entry)
          health.end()
        },
      }
    },
    start() {
      stop = clock.every(TURN_MS, turn)
    },
    close: () => stop(),
  }
}

/** Refusals that last as long as the link: the agent knows no such streams, or its operator has switched them off. */
function silenceOf({ reason, fromPeer }: LinkCause): Polled['silent'] {
  if (!fromPeer) return undefined
  if (reason === 'refused') return 'off'
  return reason === 'unsupported' ? 'unsupported' : undefined
}
