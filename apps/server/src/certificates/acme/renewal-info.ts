// When the authority wants a certificate to be renewed (RFC 9773).
import { X509Certificate } from 'node:crypto'
import * as z from 'zod'
import { type AcmeClient, parse } from './client.ts'
import { loadX509 } from './request.ts'

const RenewalInfo = z.object({
  suggestedWindow: z.object({ start: z.iso.datetime({ offset: true }), end: z.iso.datetime({ offset: true }) }),
})

export interface RenewalWindow {
  /** Milliseconds since the epoch. */
  readonly start: number
  readonly end: number
  /** When to ask again, in milliseconds from now; 0 if the authority does not say. */
  readonly waitMs: number
}

/**
 * Identifier of a certificate (section 4.1): key identifier of its authority and serial number.
 * @param chain PEM, the certificate first
 * @returns undefined if it names no key of its authority
 */
export async function certificateId(chain: string): Promise<string | undefined> {
  const x509 = await loadX509()
  const leaf = new X509Certificate(chain)
  const certificate = new x509.X509Certificate(leaf.raw)
  const authority = certificate.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId
  if (authority === undefined) return undefined
  const hex = leaf.serialNumber.length % 2 === 0 ? leaf.serialNumber : `0${leaf.serialNumber}`
  const serial = Buffer.from(hex, 'hex')
  // DER of a positive number: a set highest bit needs a zero before it.
  const der = (serial[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), serial]) : serial
  return `${Buffer.from(authority, 'hex').toString('base64url')}.${der.toString('base64url')}`
}

/** @returns undefined when the authority has no such service */
export async function renewalWindow(client: AcmeClient, id: string): Promise<RenewalWindow | undefined> {
  const { renewalInfo } = await client.directory()
  if (renewalInfo === undefined) return undefined
  const answer = await client.get(`${renewalInfo.replace(/\/$/, '')}/${id}`)
  const { start, end } = parse(RenewalInfo, answer, 'The time of the renewal').suggestedWindow
  return { start: Date.parse(start), end: Date.parse(end), waitMs: answer.waitMs }
}
