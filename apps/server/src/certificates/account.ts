// The installation's account at an authority: its key is sealed in the database, and every node uses the same.
import { createPrivateKey } from 'node:crypto'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { register } from './acme/account.ts'
import { AcmeClient } from './acme/client.ts'
import { AcmeError } from './acme/errors.ts'
import { newAccountKey } from './acme/jws.ts'
import { createTransport } from './acme/transport.ts'
import type { AcmeSettings } from './settings.ts'
import { findAccount, putAccount, setAccountUrl } from './store.ts'

export interface AccountParts {
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly secretKey: SecretKey
  readonly acme: AcmeSettings
}

/** A client that does not sign in: for what anybody may read. */
export function anonymousClient(
  { acme, clock }: Pick<AccountParts, 'acme' | 'clock'>,
  signal: AbortSignal,
): AcmeClient {
  const transport = createTransport(acme.ca, signal)
  return new AcmeClient(transport, acme.directory, createPrivateKey(newAccountKey()), () => clock.now())
}

/**
 * A client that is signed in to the installation's account, which is made or registered where it is missing.
 * @throws {AcmeError} when the authority refuses
 */
export async function accountClient(parts: AccountParts, signal: AbortSignal) {
  const { db, clock, log, secretKey, acme } = parts
  const { directory, email } = acme
  const name = `acme-account:${directory}`
  const sealed = (): Buffer => secretKey.seal(name, Buffer.from(newAccountKey()))
  const found =
    (await findAccount(db, acme)) ??
    (await putAccount(db, { directory, email, sealed: sealed(), at: new Date(clock.now()) }))
  if (!found) throw new Error('the account has vanished')
  const key = createPrivateKey(secretKey.open(name, found.sealed).toString())
  const client = new AcmeClient(createTransport(acme.ca, signal), directory, key, () => clock.now())
  client.account = found.url ?? undefined
  if (client.account === undefined) {
    const { url, terms } = await register(client, { email, external: acme.external, key })
    client.account = url
    await setAccountUrl(db, { directory, email, url })
    log.info('certificate.account', { directory, email, terms })
  }
  return { client, key }
}

/** Makes the next order register the account again, if the authority does not know it any more. */
export async function forgetUnknownAccount({ db, acme }: AccountParts, error: unknown): Promise<void> {
  if (!(error instanceof AcmeError) || error.type !== 'accountDoesNotExist') return
  await setAccountUrl(db, { ...acme, url: null })
}
