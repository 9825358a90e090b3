// Signature of a webhook's message, with which its receiver tells ours from those of others.
import { createHmac } from 'node:crypto'

/**
 * Value of the header `X-Bowline-Signature`: `t=<seconds>,v1=<hex>`, the HMAC-SHA256 (RFC 2104) of `<seconds>.<body>`.
 * The time is signed too, so that a receiver can refuse an old message that somebody sends again.
 * @param nowMs milliseconds since the epoch
 */
export function signatureOf(secret: string, body: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1_000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
