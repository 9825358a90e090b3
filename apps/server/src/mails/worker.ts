// Sends the mails of the outbox. Each is sent at least once: a crash between the server's answer and our row makes it
// due again, with the same Message-ID. Several processes share the work by leases.
import { BackgroundLoop } from '@bowline/base/background-loop'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { LINK_KINDS } from './kinds.ts'
import { MAX_ATTEMPTS, STALE_MS, retryDelayMs } from './limits.ts'
import { openValues } from './queue.ts'
import type { Renderer } from './render/render.ts'
import { type MailRow, failStale, leaseMails, markFailed, markSent, postpone, takeUnlogged } from './store.ts'
import type { SmtpTransport } from './transport.ts'

export interface WorkerParts {
  readonly system: Kysely<Schema>
  readonly node: string
  readonly clock: Clock
  readonly log: Log
  readonly secretKey: SecretKey
  readonly renderer: Renderer
  /** Domain of Message-IDs. */
  readonly domain: () => string
  /** undefined: there is no mail server. */
  readonly transport: SmtpTransport | undefined
  readonly counts: { sent: number; failed: number }
}

export interface Worker {
  /** Looks for work. */
  wake(): void
  /** Resolves when the mails in hand are done. */
  stop(): Promise<void>
}

/** Mails that one process sends at once. */
const AT_ONCE = 10
/** Of these, mails to one domain: a domain whose mails take minutes does not hold up those of others. */
const AT_ONCE_PER_DOMAIN = 3
/** The rest is for domains that have none. */
const SHARED = 5
/** Longer than an attempt may take, so that no other process sends the same mail meanwhile. */
const LEASE_MS = 300_000
/** A stopping server waits this long for the answers to mails in hand. */
const STOP_MS = 5_000

export function createWorker(parts: WorkerParts): Worker {
  const { system, node, clock, log, secretKey, renderer, domain, transport, counts } = parts
  const now = (): Date => new Date(clock.now())
  const stopping = new AbortController()
  /** Attempts that are under way, by mail. */
  const attempts = new Map<string, { readonly domain: string; readonly ended: Promise<void> }>()

  const loop = new BackgroundLoop(async () => {
    try {
      await (transport ? sendDue(transport) : logLinks())
    } catch (error) {
      // The next look tries again.
      log.error('mail.error', { err: error })
    }
  })

  async function sendDue(smtp: SmtpTransport): Promise<void> {
    const stale = await failStale(system, new Date(clock.now() - STALE_MS), now(), 'It was not sent within a day.')
    counts.failed += stale
    while (!stopping.signal.aborted && attempts.size < AT_ONCE) {
      const times = { now: now(), until: new Date(clock.now() + LEASE_MS) }
      const except = { ids: [...attempts.keys()], domains: busyDomains() }
      const [mail] = await leaseMails(system, { node, ...times, limit: 1, except })
      if (!mail) return
      // Each attempt that ends makes room for another mail.
      const ended = send(smtp, mail)
        .catch((error: unknown) => log.error('mail.error', { mail: mail.id, err: error }))
        .finally(() => {
          attempts.delete(mail.id)
          loop.wake()
        })
      attempts.set(mail.id, { domain: domainOf(mail.recipient), ended })
    }
  }

  /** Domains that must wait. */
  function busyDomains(): string[] {
    const most = attempts.size < SHARED ? AT_ONCE_PER_DOMAIN : 1
    const counts = new Map<string, number>()
    for (const { domain: to } of attempts.values()) counts.set(to, (counts.get(to) ?? 0) + 1)
    return [...counts].filter(([, count]) => count >= most).map(([to]) => to)
  }

  async function send(smtp: SmtpTransport, mail: MailRow): Promise<void> {
    const { id, kind, recipient: to, attempts: tries } = mail
    let letter
    try {
      letter = renderer.render(kind, openValues(secretKey, mail))
    } catch (error) {
      log.error('mail.error', { mail: id, kind, err: error })
      counts.failed += 1
      return markFailed(system, id, now(), 'The server could not read its own mail; its log says why.')
    }
    const answer = await smtp.send({ ...letter, to, id, domain: domain(), date: mail.created_at })
    if (answer.outcome === 'accepted') {
      counts.sent += 1
      log.debug('mail.sent', { mail: id, kind, attempts: tries })
      return markSent(system, id, now(), answer.text)
    }
    const isGivenUp = answer.isFinal || tries >= MAX_ATTEMPTS
    log.warn(isGivenUp ? 'mail.failed' : 'mail.postponed', { mail: id, kind, attempts: tries, answer: answer.text })
    if (!isGivenUp) return postpone(system, id, new Date(clock.now() + retryDelayMs(tries)), answer.text)
    counts.failed += 1
    return markFailed(system, id, now(), answer.text)
  }

  /** Without a mail server whoever runs this one hands the links over. */
  async function logLinks(): Promise<void> {
    for (const mail of await takeUnlogged(system, LINK_KINDS, now(), 100)) {
      const { link } = openValues(secretKey, mail)
      log.info('mail.not-configured', { kind: mail.kind, to: mail.recipient, link })
    }
  }

  return {
    wake: () => loop.wake(),
    async stop() {
      stopping.abort()
      const cancel = clock.after(STOP_MS, () => transport?.close())
      await loop.stop()
      await Promise.all([...attempts.values()].map(({ ended }) => ended))
      cancel()
    },
  }
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
