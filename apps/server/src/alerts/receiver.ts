// Addresses that members have the server send to, as they set them.
import { randomBytes } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { type EgressRules, judgeEgress } from '../platform/network/egress.ts'

const SECRET_BYTES = 32

/** @throws {BowlineError} INVALID_INPUT for an address that may not be dialled, or is not encrypted */
export async function requireReceiver(egress: EgressRules, url: string | null | undefined): Promise<void> {
  const invalid = (rule: string): never => fail('INVALID_INPUT', { field: 'url', rule }, ['url'])
  const address = URL.parse(url ?? '') ?? invalid('is required')
  if (address.username !== '' || address.password !== '') invalid('must not have a user name or a password')
  const answer = await judgeEgress(address.hostname, egress)
  if ('refused' in answer) return invalid(`may not be used: ${answer.refused}`)
  if (address.protocol !== 'https:' && !egress.allowed(answer.address)) invalid('must begin with https://')
}

/** A secret that signs what is sent. */
export const newSecret = (): string => `whs-${randomBytes(SECRET_BYTES).toString('base64url')}`

/** The fields of a change that are given. */
export function withoutUndefined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
