// Sends messages to webhooks and Slack. Each is sent at least once: a crash between the answer and our row makes it due
// again, with the same id. Nodes share the work by leases. An address is one that a member has typed: the egress check
// decides whether it is dialled, redirects are not followed, and an answer is neither kept nor shown.
import { BackgroundLoop } from '@bowline/base/background-loop'
import { LIMITS } from '@bowline/contract/limits'
import { audit } from '../audit/service.ts'
import { FetchRefused, guardedFetch } from '../platform/network/guarded-fetch.ts'
import { type AlertDeps, sealNames } from './deps.ts'
import { type DueDelivery, claimDelivery, markDelivered, markUndelivered } from './delivery-store.ts'
import { slackText } from './message.ts'
import { signatureOf } from './signature.ts'

/** Messages that one process sends at once, and of these those of one namespace: slow receivers hold up their own. */
const AT_ONCE = 20
const AT_ONCE_PER_NAMESPACE = 2
const TIMEOUT_MS = 10_000
/** Longer than an attempt may take. */
const LEASE_SECONDS = 60
const MAX_ANSWER_BYTES = 16_384
const FIRST_DELAY_SECONDS = 15
const LONGEST_DELAY_SECONDS = 3_600

/** Messages since the start, for metrics. */
export interface AlertCounts {
  readonly sent: number
  readonly failed: number
}

export interface AlertSender {
  /** Looks for messages that are due. */
  wake(): void
  /** Resolves when the messages in hand are done. */
  stop(): Promise<void>
  readonly counts: AlertCounts
}

type SenderDeps = Omit<AlertDeps, 'wake' | 'mails' | 'ids'> & Pick<AlertDeps, 'mails'>

export function createAlertSender(deps: SenderDeps): AlertSender {
  const { system, log } = deps
  const attempts = new Map<string, { readonly rule: string; readonly tenant: string; readonly ended: Promise<void> }>()
  const counts = { sent: 0, failed: 0 }
  const stopping = new AbortController()

  const loop = new BackgroundLoop(async () => {
    try {
      while (!stopping.signal.aborted && attempts.size < AT_ONCE) {
        const delivery = await claimDelivery(system, LEASE_SECONDS, { rules: busyRules(), tenants: busyTenants() })
        if (!delivery) return
        const { id, rule_id: rule, tenant_id: tenant } = delivery
        const ended = deliver(delivery)
          .catch((error: unknown) => log.error('alerts.error', { delivery: id, err: error }))
          .finally(() => {
            attempts.delete(id)
            loop.wake()
          })
        attempts.set(id, { rule, tenant, ended })
      }
    } catch (error) {
      // The next look tries again.
      log.error('alerts.error', { err: error })
    }
  })

  /** In order: the messages of one rule one after the other. */
  const busyRules = (): string[] => [...attempts.values()].map(({ rule }) => rule)

  function busyTenants(): string[] {
    const open = new Map<string, number>()
    for (const { tenant } of attempts.values()) open.set(tenant, (open.get(tenant) ?? 0) + 1)
    return [...open].filter(([, count]) => count >= AT_ONCE_PER_NAMESPACE).map(([tenant]) => tenant)
  }

  async function deliver(delivery: DueDelivery): Promise<void> {
    const { id, rule_id: rule, tenant_id: tenant, attempts: tries } = delivery
    const { arrived, answer, isFinal } = await post(deps, delivery)
    if (arrived) {
      counts.sent += 1
      log.debug('alert.sent', { delivery: id, rule, tenant, attempts: tries })
      return markDelivered(system, delivery, answer)
    }
    const isGivenUp = isFinal || tries >= LIMITS.alerts.attempts
    if (isGivenUp) counts.failed += 1
    log.warn(isGivenUp ? 'alert.failed' : 'alert.postponed', { delivery: id, rule, tenant, attempts: tries, answer })
    const ended = await markUndelivered(system, delivery, answer, isGivenUp ? undefined : retrySeconds(tries))
    if (ended) await audit(deps.contextOf(tenant), 'alert-rule.disable', rule, { name: ended.name, reason: answer })
  }

  return {
    wake: () => loop.wake(),
    async stop() {
      stopping.abort()
      await loop.stop()
      await Promise.all([...attempts.values()].map(({ ended }) => ended))
    },
    counts,
  }
}

/** Time after a failed attempt. @param attempts so far */
export function retrySeconds(attempts: number): number {
  return Math.min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 4 ** (attempts - 1))
}

interface Outcome {
  readonly arrived: boolean
  /** For administrators: a status or a reason, nothing of what the receiver has written. */
  readonly answer: string
  /** Another attempt cannot succeed. */
  readonly isFinal: boolean
}

async function post({ secretKey, egress, clock, mails, log }: SenderDeps, delivery: DueDelivery): Promise<Outcome> {
  const { id, rule_id: rule, body, text, target, sealed_url, sealed_secret } = delivery
  if (sealed_url === null) return { arrived: false, answer: 'The rule has no address any more.', isFinal: true }
  const content = target === 'slack' ? { text: slackText(ruleName(body), text, mails.link('/incidents')) } : body
  const json = JSON.stringify(content)
  let url: string
  let secret: string | null
  try {
    url = secretKey.open(sealNames.url(rule), sealed_url).toString()
    secret = sealed_secret && secretKey.open(sealNames.secret(rule), sealed_secret).toString()
  } catch (error) {
    log.error('alerts.error', { delivery: id, rule, err: error })
    return { arrived: false, answer: 'The server could not read the address; its log says why.', isFinal: true }
  }
  try {
    const { status } = await guardedFetch(url, egress, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Bowline',
        'x-bowline-delivery': id,
        ...(secret ? { 'x-bowline-signature': signatureOf(secret, json, clock.now()) } : {}),
      },
      body: json,
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: TIMEOUT_MS,
    })
    const arrived = status >= 200 && status < 300
    return { arrived, answer: `It answered ${status}.`, isFinal: status === 410 }
  } catch (error) {
    if (error instanceof FetchRefused) return { arrived: false, answer: `Not sent: ${error.message}.`, isFinal: false }
    throw error
  }
}

function ruleName({ rule }: DueDelivery['body']): string {
  return typeof rule === 'object' && rule !== null && 'name' in rule ? String(rule.name) : ''
}
