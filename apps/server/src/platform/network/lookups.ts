// Lookups of names that people typed. Each occupies a thread of the process until the system's resolver gives up, and a
// name server that never answers belongs to whoever owns the name: so few run at once, the caller waits for a while
// only, and a domain that has not answered is not asked again at once.
import { lookup } from 'node:dns/promises'
import type { Clock } from '@bowline/base/clock'
import { Semaphore } from '@bowline/base/semaphore'

/** @returns all addresses of a host name @throws {Error} when it has none, or they cannot be found in time */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface LookupLimits {
  readonly atOnce: number
  /** Lookups that wait for their turn. */
  readonly waiting: number
  /** Time in which a caller has an answer, in milliseconds. */
  readonly timeoutMs: number
  /** Time for which a domain is not asked again, in milliseconds. */
  readonly silenceMs: number
}

const MAX_SILENT = 1_000

/** libuv gives half of its threads to lookups; one of these stays free for names of the operator. */
function freeThreads(): number {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) || 4
  return Math.max(1, Math.floor((threads + 1) / 2) - 1)
}

export const LOOKUP_LIMITS: LookupLimits = {
  atOnce: freeThreads(),
  waiting: 200,
  timeoutMs: 5_000,
  silenceMs: 60_000,
}

export const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** Resolves with `resolve` within limits. Domains take turns: those of one owner do not keep the others out. */
export function limitLookups(resolve: Resolve, clock: Clock, limits: LookupLimits = LOOKUP_LIMITS): Resolve {
  const turns = new Semaphore(limits.atOnce, limits.waiting)
  /** Domains that have not answered, with the time until which they are not asked. */
  const silent = new Map<string, number>()

  function fallSilent(domain: string): void {
    silent.delete(domain)
    const [oldest] = silent.keys()
    if (oldest !== undefined && silent.size >= MAX_SILENT) silent.delete(oldest)
    silent.set(domain, clock.monotonic() + limits.silenceMs)
  }

  return (host) => {
    const domain = domainOf(host)
    if ((silent.get(domain) ?? 0) > clock.monotonic()) return Promise.reject(new Error('its domain does not answer'))
    return new Promise((settle, reject) => {
      let isOver = false
      let isAsked = false
      const cancel = clock.after(limits.timeoutMs, () => {
        isOver = true
        if (isAsked) fallSilent(domain)
        reject(new Error('no answer in time'))
      })
      // The turn lasts as long as the lookup, which cannot be ended, whoever still waits for it.
      const answer = turns.run(async () => {
        if (isOver || (silent.get(domain) ?? 0) > clock.monotonic()) throw new Error('its domain does not answer')
        isAsked = true
        return resolve(host)
      }, domain)
      answer
        .then((found) => (found ? settle(found) : reject(new Error('too many lookups are under way'))), reject)
        .finally(cancel)
    })
  }
}

/** The domain that belongs to one owner, in most cases: the last two labels, or three below such as `co.uk`. */
function domainOf(host: string): string {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.')
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.')
}
