// The account at an authority (RFC 8555 section 7.3): registered once, by whichever node needs it first.
import type { KeyObject } from 'node:crypto'
import * as z from 'zod'
import type { ExternalAccount } from '../settings.ts'
import type { AcmeClient } from './client.ts'
import { AcmeError } from './errors.ts'
import { externalBinding } from './jws.ts'

const REFUSED = 'The authority refuses the account'
const NEEDS_EXTERNAL =
  'The authority binds accounts to its customers: BOWLINE_ACME_EAB_KID and BOWLINE_ACME_EAB_HMAC_KEY must be set.'

/**
 * Registers the client's key, or finds the account that the key has already. Agrees to the terms of service.
 * @param key of the client
 * @returns address of the account, and of the terms; ''
 * @throws {AcmeError} when the authority refuses
 */
export async function register(
  client: AcmeClient,
  { email, external, key }: { email: string; external: ExternalAccount | undefined; key: KeyObject },
): Promise<{ url: string; terms: string }> {
  const { newAccount, meta } = await client.directory()
  if (meta?.externalAccountRequired === true && !external) throw new AcmeError(NEEDS_EXTERNAL)
  // The key identifies the sender: an account's address is not known yet.
  client.account = undefined
  const account = {
    termsOfServiceAgreed: true,
    contact: [`mailto:${email}`],
    ...(external ? { externalAccountBinding: externalBinding(key, { url: newAccount, external }) } : {}),
  }
  const { location } = await client.post(newAccount, account, REFUSED)
  if (!z.url({ protocol: /^https$/ }).safeParse(location).success) {
    throw new AcmeError(`${REFUSED}: its address is missing.`)
  }
  return { url: location, terms: meta?.termsOfService ?? '' }
}
