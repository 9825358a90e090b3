// The instance that a command works on: the external database of the settings, else the embedded one, shared with a
// server running on the data folder or started for the command alone.
import { resolve } from 'node:path'
import { type ServerSettings, parseSettings } from '@bowline/contract/config'
import { fail } from '@bowline/contract/errors'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { systemClock } from '@bowline/base/clock'
import type { RecordingRemoval, TenantContext } from '../context.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '../db/embedded/supervisor.ts'
import type { OwnerConnection } from '../db/owner-session.ts'
import type { Schema } from '../db/schema.ts'
import { readSecretKey } from '../config.ts'
import { type RecordingKeys, readRecordingKeys } from '../instance/recording-keys.ts'
import { findTenant } from '../namespaces/service.ts'
import { type Ids, randomIds } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { publicOrigin } from '../platform/network/public-host.ts'
import { nowhere } from '../platform/positions.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { createLedger } from '../recordings/ledger/ledger.ts'
import { createRecordingKey } from '../recordings/recording-key.ts'
import { recordingRemoval } from '../recordings/removal.ts'
import type { Terminal } from './terminal.ts'

export interface Instance {
  readonly settings: ServerSettings
  readonly ids: Ids
  /** Sees all namespaces: the command line belongs to the operator. */
  readonly system: Kysely<Schema>
  /** Tenant id of the namespace with that name. @throws {BowlineError} NOT_FOUND */
  tenantOf(namespace: string): Promise<TenantId>
  readonly contextOf: (tenant: TenantId) => TenantContext
  /** Keys that sign recordings. @throws {ConfigError} without the secret key that opens them */
  recordingKeys(): Promise<RecordingKeys>
  /** @throws {ConfigError} when it is not set */
  secretKey(): Promise<SecretKey>
}

/** A command uses few connections, one after the other. */
const POOL_SIZE = 2
const log = createLog('error', 2)

/**
 * Runs a command's work on the migrated database, then stops what was started for it.
 * @throws {ConfigError} for invalid settings; also any error of the database or the work
 */
export async function onInstance<T>(terminal: Terminal, work: (instance: Instance) => Promise<T>): Promise<T> {
  return onOwner(terminal, async (owner, settings) => {
    const database = await openDatabase({ owner, poolSize: POOL_SIZE, log })
    try {
      return await work(describe(database, settings))
    } finally {
      await database.close()
    }
  })
}

/** Like {@link onInstance}, with the owner's connection to the unmigrated database. */
export async function onOwner<T>(
  { env }: Terminal,
  work: (owner: OwnerConnection, settings: ServerSettings) => Promise<T>,
): Promise<T> {
  const settings = parseSettings('server', env)
  if (settings.BOWLINE_DATABASE_URL) return work(settings.BOWLINE_DATABASE_URL, settings)
  const dataDir = resolve(settings.BOWLINE_DATA_DIR)
  const running = await findRunningPostgres(dataDir)
  if (running) return work(running, settings)
  const embedded = await startEmbeddedPostgres({ dataDir, log })
  try {
    return await work(embedded.connection, settings)
  } finally {
    await embedded.close()
  }
}

function describe(database: Database, settings: ServerSettings): Instance {
  const system = database.system()
  const secretKey = (): Promise<SecretKey> => readSecretKey(settings, resolve(settings.BOWLINE_DATA_DIR))
  return {
    settings,
    ids: randomIds,
    system,
    async tenantOf(namespace) {
      return (await findTenant(system, namespace)) ?? fail('NOT_FOUND', { what: `The namespace ${namespace}` })
    },
    recordingKeys: async () => readRecordingKeys(system, await secretKey())(),
    secretKey,
    contextOf: (tenant) => ({
      actor: { kind: 'system', name: 'command line' },
      tenant,
      db: database.forTenant(tenant),
      clock: systemClock,
      log,
      edition: settings.BOWLINE_EDITION,
      source: '',
      locate: nowhere,
      // Listeners belong to the server process; they see the change on their next load.
      hasListeners: () => false,
      emit: () => undefined,
    }),
  }
}

/** Records removals in the ledger of recordings. @throws {ConfigError} without the secret key */
export async function removalOf(instance: Pick<Instance, 'recordingKeys'>): Promise<RecordingRemoval> {
  return recordingRemoval(createLedger(createRecordingKey(await instance.recordingKeys())))
}

/** False if the settings do not tell where people reach the server: {@link originOfSettings} guesses. */
export function knowsOrigin(settings: ServerSettings): boolean {
  return publicOrigin(settings, settings.BOWLINE_TLS_CERT_FILE !== undefined) !== undefined
}

/** Origin of links: the settings', or that of a browser on this machine. */
export function originOfSettings(settings: ServerSettings): string {
  const hasTls = settings.BOWLINE_TLS_CERT_FILE !== undefined
  return publicOrigin(settings, hasTls) ?? `${hasTls ? 'https' : 'http'}://localhost:${settings.BOWLINE_HTTP_PORT}`
}

/** What describing the OpenID providers needs. */
export function providersOf({ system, settings }: Pick<Instance, 'system' | 'settings'>) {
  return { db: system, publicOrigin: () => originOfSettings(settings) }
}
