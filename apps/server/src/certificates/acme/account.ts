// The account at an authority (RFC 8555 section 7.3): registered once, by whichever node needs it first.
import * as z from 'zod'
import type { AcmeClient } from './client.ts'
import { AcmeError } from './errors.ts'

const REFUSED = 'The authority refuses the account'

/**
 * Registers the client's key, or finds the account that the key has already. Agrees to the terms of service.
 * @returns address of the account, and of the terms; ''
 * @throws {AcmeError} when the authority refuses
 */
export async function register(client: AcmeClient, email: string): Promise<{ url: string; terms: string }> {
  const { newAccount, meta } = await client.directory()
  // The key identifies the sender: an account's address is not known yet.
  client.account = undefined
  const account = { termsOfServiceAgreed: true, contact: [`mailto:${email}`] }
  const { location } = await client.post(newAccount, account, REFUSED)
  if (!z.url({ protocol: /^https$/ }).safeParse(location).success) {
    throw new AcmeError(`${REFUSED}: its address is missing.`)
  }
  return { url: location, terms: meta?.termsOfService ?? '' }
}
