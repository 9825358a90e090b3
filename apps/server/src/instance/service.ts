// Use cases of the instance: its public description and its first account.
import type { ServerSettings } from '@bowline/contract/config'
import { BowlineError, fail } from '@bowline/contract/errors'
import { instance } from '@bowline/contract/operations/instance'
import { registrationMode } from '@bowline/contract/settings/registration'
import type { Info } from '@bowline/contract/operations/instance'
import type { Input } from '@bowline/contract/operation'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { createNamespace } from '../namespaces/service.ts'
import { isLoopback } from '../platform/network/address.ts'
import type { Ids } from '../platform/ids.ts'
import { VERSION } from '../platform/version.ts'
import { createUser, requireOtherThanNames } from '../users/service.ts'
import type { PasswordHasher } from '../auth/password-hashes/passwords.ts'
import { versionFor } from './agent-version.ts'
import { type InstanceKeys, isSetupSign } from './keys.ts'
import { isSetUp, markSetUp } from './store.ts'

export interface InstanceDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly keys: InstanceKeys
  readonly settings: ServerSettings
  readonly ids: Ids
  readonly clock: Clock
  readonly passwords: PasswordHasher
  /** Actual port of the SSH gateway (settings may say 0). */
  readonly sshPort: () => number
  /** `sha256//…` of the self-signed certificate's key, or ''. */
  readonly pin: string
  /** True if mails reach people. */
  readonly sendsMail: boolean
  /** True if passkeys work under a requested host[:port]. */
  readonly hasPasskeys: (host: string) => boolean
  /** Ways to sign in that are switched on. */
  readonly signInMethods: () => Promise<Omit<Info['authentication'], 'passkeys'>>
}

/**
 * Public description of the instance.
 * @param host requested host[:port], after trusted proxies
 * @param agentVersion version of the agent that asks
 */
export async function describeInstance(deps: InstanceDeps, host: string, agentVersion?: string): Promise<Info> {
  const api = deps.settings.BOWLINE_DOMAIN ?? host
  const name = hostName(api)
  return {
    version: versionFor(VERSION, agentVersion),
    endpoints: { ssh: `${name}:${deps.sshPort()}`, api },
    setup: await isSetUp(deps.db),
    authentication: { ...(await deps.signInMethods()), passkeys: deps.hasPasskeys(host) },
    registration: registrationMode(deps.settings),
    mail: deps.sendsMail,
    edition: deps.settings.BOWLINE_EDITION,
    reachable: !isLoopback(deps.settings.BOWLINE_HOST),
    pin: deps.pin,
  }
}

/** True if the first account exists. @param db system connection */
export function isInstanceSetUp(db: Kysely<Schema>): Promise<boolean> {
  return isSetUp(db)
}

/** Ends set-up by link once an account exists. @param db system connection. @returns false if it had ended before */
export function endSetUp(db: Kysely<Schema>): Promise<boolean> {
  return markSetUp(db)
}

/**
 * Creates the first account with its personal namespace.
 * Preconditions: the link's signature is correct; the instance has not been set up.
 * @throws {BowlineError} SETUP_REFUSED otherwise; INVALID_INPUT for a password that equals a name; CONFLICT when the
 *   username or e-mail address is taken
 */
export async function setUp(deps: InstanceDeps, input: Input<typeof instance.setup>, origin: Origin): Promise<void> {
  if (!isSetupSign(deps.keys, input.query.sign) || (await isSetUp(deps.db))) fail('SETUP_REFUSED')
  requireOtherThanNames(input.body.password, [input.body.username, input.body.email])
  const passwordHash = await deps.passwords.hash(input.body.password)
  await deps.db.transaction().execute(async (db) => {
    // Claims the row first: of two concurrent calls only one continues.
    if (!(await markSetUp(db))) throw new BowlineError('SETUP_REFUSED')
    const made = { ids: deps.ids, clock: deps.clock, origin }
    const account = { status: 'confirmed', maxNamespaces: -1, isInstanceAdmin: true } as const
    const user = await createUser(db, made, { ...input.body, ...account, passwordHash })
    await createNamespace(db, deps.ids, { name: namespaceName(input.body.username), owner: user, type: 'personal' })
  })
}

/** Derives a namespace name from a username: an RFC 1123 label, because it is part of an SSHID. */
export function namespaceName(username: string): string {
  const label = username
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return label.length >= 3 ? label : `${label}-namespace`.replace(/^-/, '')
}

/** The host of host[:port]; keeps the brackets of IPv6. */
function hostName(host: string): string {
  return host.replace(/:\d+$/, '')
}
