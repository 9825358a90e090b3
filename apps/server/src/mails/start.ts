// Starts mail: the outbox for whoever writes mails, and the worker that sends them.
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { EgressRules } from '../platform/network/egress.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { KEPT_MS } from './limits.ts'
import { type MailQueue, createMailQueue } from './queue.ts'
import type { Overrides } from './render/overrides.ts'
import { createRenderer } from './render/render.ts'
import { type MailDeps, messageDomain } from './service.ts'
import type { SmtpSettings } from './settings.ts'
import { releaseLeases, sweepMails } from './store.ts'
import { createSmtpTransport } from './transport.ts'
import { createWorker } from './worker.ts'

export interface MailParts {
  readonly system: Kysely<Schema>
  readonly node: string
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
  readonly secretKey: SecretKey
  /** undefined: no mail server is set. */
  readonly smtp: SmtpSettings | undefined
  /** Origin of the console for links, known once the server listens. */
  readonly origin: () => string
  /** Folder of the operator's own texts. */
  readonly templates: string | undefined
  readonly texts: Overrides
  readonly egress: EgressRules
  /** True if mails reach people. */
  readonly isSending: boolean
  readonly onEnd: (ending: () => Promise<void>) => void
}

export interface Mails {
  readonly queue: MailQueue
  /** Dependencies of the use cases for administrators. */
  readonly deps: MailDeps
  /** Mails since the start, for metrics. */
  readonly counts: { readonly queued: number; readonly sent: number; readonly failed: number }
}

const LOOK_INTERVAL_MS = 1_000
const SWEEP_INTERVAL_MS = 3_600_000
const HOUR_MS = 3_600_000

/** Takes up what an earlier life of this node held, and looks for mails from then on. */
export async function startMails(parts: MailParts): Promise<Mails> {
  const { system, node, clock, log, ids, secretKey, smtp, origin, egress, isSending, onEnd } = parts
  const counts = { queued: 0, sent: 0, failed: 0 }
  const renderer = createRenderer(parts.texts, origin)
  const transport = smtp && createSmtpTransport(smtp)
  const domain = () => messageDomain(origin())
  const worker = createWorker({ system, node, clock, log, secretKey, renderer, domain, transport, counts })
  const queue = createMailQueue({ clock, ids, secretKey, publicOrigin: origin, isSending }, () => {
    counts.queued += 1
  })
  await releaseLeases(system, node)
  onEnd(() => worker.stop())
  const stopLooking = clock.every(LOOK_INTERVAL_MS, () => worker.wake())
  const stopSweeping = clock.every(SWEEP_INTERVAL_MS, () => {
    const sweep = sweepMails(system, new Date(clock.now() - KEPT_MS), new Date(clock.now() - HOUR_MS))
    sweep.catch((error: unknown) => log.error('jobs.error', { err: error }))
  })
  onEnd(async () => {
    stopLooking()
    stopSweeping()
  })
  const deps = { db: system, clock, ids, secretKey, renderer, smtp, origin, egress, templates: parts.templates ?? '' }
  return { queue, deps: { ...deps, wake: () => worker.wake() }, counts }
}
