// Bounds the memory of request bodies that are still arriving: per source and in total.
import { fail } from '@bowline/contract/errors'
import type { FastifyRequest } from 'fastify'
import { sourceKey } from '../../platform/network/address.ts'

/** Default body limit of a call. */
export const BODY_BYTES = 8_192

export interface BodyLimits {
  readonly perSource: number
  readonly total: number
}

export const BODY_LIMITS: BodyLimits = { perSource: 2_097_152, total: 33_554_432 }

interface Body {
  readonly source: string
  readonly bytes: number
  readonly end: () => void
}

export interface BodyBudget {
  /**
   * Reserves memory for a request's body until it has been read. When the budget is exhausted, the oldest body of the
   * source that holds most of it is dropped.
   * @throws {BowlineError} TOO_MANY_REQUESTS when the source has its share
   */
  admit(request: FastifyRequest): void
  readonly bytes: number
}

export function createBodyBudget(limits: BodyLimits = BODY_LIMITS): BodyBudget {
  /** The oldest first. */
  const open = new Set<Body>()
  const bySource = new Map<string, number>()
  let total = 0
  const add = ({ source }: Body, bytes: number): void => {
    total += bytes
    const left = (bySource.get(source) ?? 0) + bytes
    if (left > 0) bySource.set(source, left)
    else bySource.delete(source)
  }
  const evict = (): void => {
    const [heaviest] = [...bySource].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0])
    for (const body of open) {
      if (body.source === heaviest) return body.end()
    }
  }
  return {
    admit(request) {
      const bytes = expectedBytes(request)
      if (bytes === 0) return
      const source = sourceKey(request.ip)
      if ((bySource.get(source) ?? 0) + bytes > limits.perSource) fail('TOO_MANY_REQUESTS', { seconds: 1 })
      if (total + bytes > limits.total) evict()
      const { raw } = request
      const release = (): void => {
        if (open.delete(body)) add(body, -bytes)
      }
      const body = {
        source,
        bytes,
        end() {
          release()
          raw.destroy()
        },
      }
      open.add(body)
      add(body, bytes)
      raw.once('end', release)
      raw.once('close', release)
    },
    get bytes() {
      return total
    },
  }
}

/** Upper bound of a body's size; a chunked one may be as large as the call allows. */
function expectedBytes({ headers, routeOptions }: FastifyRequest): number {
  const most = routeOptions.bodyLimit ?? BODY_BYTES
  if (headers['transfer-encoding'] !== undefined) return most
  return Math.min(most, Number(headers['content-length'] ?? 0) || 0)
}
