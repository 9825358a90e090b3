// Test mode and live mode of the provider know different customers. With a key of the other mode every subscription would
// look as if it had never been.
import { ConfigError } from '@bowline/contract/config'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { countOfOtherMode } from './accounts-store.ts'
import type { PaymentProvider } from './provider/provider.ts'

/** @throws {ConfigError} when the key is of one mode, and customers of namespaces are of the other */
export async function requireSameMode(db: Kysely<Schema>, { live }: Pick<PaymentProvider, 'live'>): Promise<void> {
  const others = await countOfOtherMode(db, live)
  if (others === 0) return
  const [ours, theirs] = live ? ['live', 'test'] : ['test', 'live']
  const whose = others === 1 ? 'the customer of 1 namespace is' : `the customers of ${others} namespaces are`
  throw new ConfigError([
    `BOWLINE_STRIPE_SECRET_KEY is a key of ${ours} mode, but ${whose} of ${theirs} mode: set the key that was set before.`,
  ])
}
