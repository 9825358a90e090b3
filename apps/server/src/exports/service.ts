// Exports over HTTP: the owner asks for a link, which works once and soon ends; opening it streams the archive.
//
// The archive is made while it is sent, and stored nowhere. So its size needs no disk and no store, no copy of everything
// waits for a thief, any server of a cluster answers, and memory is constant. A download that breaks off is begun anew;
// whoever has too much for that exports on the server, into a file.
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Clock } from '@bowline/base/clock'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { NamespaceExportLink } from '@bowline/contract/schemas/namespace'
import type { Kysely } from 'kysely'
import { audit } from '../audit/service.ts'
import type { TenantContext, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { getNamespace, getNamespaceLimits, membershipRole } from '../namespaces/service.ts'
import { getAccount } from '../users/service.ts'
import { VERSION } from '../platform/version.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { type ExportCounts, type ExportSource, exportArchive } from './archive.ts'
import { linkExists, setBusy, storeLink, takeLink } from './store.ts'

export interface ExportDeps {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly recordings: Recordings
  /** For temporary files. */
  readonly folder: string
  /** Context of a namespace for the owner whose link it is. */
  readonly contextOf: (tenant: TenantId, source: string) => TenantContext
  /** Invoices of a namespace at the payment provider; undefined without one. */
  readonly invoicesOf: (tenant: TenantId) => (() => Promise<unknown>) | undefined
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

/** An export counts as under way for so long after the last sign of it, in milliseconds. */
const BUSY_MS = 60_000
const RENEW_MS = 20_000

/**
 * Makes a link to the archive of the namespace; an earlier one ends.
 * @throws {BowlineError} EXPORT_RUNNING
 */
export async function requestExport(
  { system, clock }: ExportDeps,
  ctx: TenantContext,
  actor: UserActor,
): Promise<NamespaceExportLink> {
  const token = randomBytes(32).toString('base64url')
  const now = clock.now()
  const expires = new Date(now + LIMITS.exports.linkMinutes * 60_000)
  await system.transaction().execute(async (db) => {
    const link = { tenant_id: ctx.tenant, user_id: actor.id, link_hash: hashOf(token), link_expires_at: expires }
    if (!(await storeLink(db, link, new Date(now)))) fail('EXPORT_RUNNING')
    await audit({ ...ctx, db }, 'namespace.export', ctx.tenant)
  })
  return { path: `/api/namespace-exports/${token}`, expires_at: expires.toISOString() }
}

export interface OpenedExport {
  /** Name for the file. */
  readonly name: string
  /** The archive, compressed. */
  readonly stream: Readable
}

/** Exports of this process. */
export interface Exports {
  /**
   * Takes a link and begins the archive.
   * @throws {BowlineError} NOT_FOUND when the link is wrong, was used or has expired, or its person owns the namespace no
   *   more; UNAVAILABLE when the process writes as many as it may
   */
  open(token: string, source: string): Promise<OpenedExport>
}

export function createExports(deps: ExportDeps): Exports {
  const { system, clock, recordings, folder, contextOf, invoicesOf, stopping } = deps
  let running = 0

  async function begin(token: string, source: string): Promise<OpenedExport> {
    const now = clock.now()
    const link = (await takeLink(system, hashOf(token), new Date(now), new Date(now + BUSY_MS))) ?? notFound()
    const { tenant_id: tenant, user_id: user } = link
    if (!(await isOwner(tenant, user))) {
      await setBusy(system, tenant, new Date(0))
      notFound()
    }
    const namespace = await getNamespace(system, tenant)
    await recordings.key.refresh()
    const invoices = invoicesOf(tenant)
    const ctx = contextOf(tenant, source)
    const archive = { ctx, namespace, recordings, keys: [...recordings.key.periods], version: VERSION, folder }
    const stream = streamOf({ ...archive, ...(invoices ? { invoices } : {}) }, tenant, () => isOwner(tenant, user))
    return { name: `${namespace.name}-${new Date(now).toISOString().slice(0, 10)}.tar.gz`, stream }
  }

  /** @param mayGoOn asked from time to time while it is read */
  function streamOf(source: ExportSource, tenant: TenantId, mayGoOn: () => Promise<boolean>): Readable {
    const counts: ExportCounts = { rows: {}, recordings: 0, left: 0 }
    const stopRenewing = clock.every(RENEW_MS, () => {
      renew().catch(() => undefined)
    })
    const until = clock.now() + LIMITS.exports.hours * 3_600_000
    async function renew(): Promise<void> {
      const isOver = clock.now() > until || !(await mayGoOn())
      if (isOver) zipped.destroy(new Error('The export has been ended.'))
      else await setBusy(system, tenant, new Date(clock.now() + BUSY_MS))
    }
    async function* archive(): AsyncGenerator<Uint8Array> {
      yield* exportArchive(source, counts)
      // Before its reader has the last byte, and asks for the next one.
      await setBusy(system, tenant, new Date(0))
    }
    const tar = Readable.from(archive(), { objectMode: false })
    const zipped = createGzip()
    const stop = (): void => void zipped.destroy(new Error('The server is stopping.'))
    stopping.addEventListener('abort', stop)
    tar.once('error', (error) => zipped.destroy(error))
    // However it ends: sent, given up by the client, or failed.
    zipped.once('close', () => {
      running -= 1
      stopRenewing()
      stopping.removeEventListener('abort', stop)
      tar.destroy()
      source.ctx.log.info('export.ended', { tenant, recordings: counts.recordings, left: counts.left })
      setBusy(system, tenant, new Date(0)).catch(() => undefined)
    })
    return tar.pipe(zipped)
  }

  /** Whether the person owns the namespace, and may use it: neither is disabled, and it is not deleted. */
  async function isOwner(tenant: TenantId, user: UserId): Promise<boolean> {
    const [role, account, open] = [
      await membershipRole(system, user, tenant),
      await getAccount(system, user),
      await getNamespaceLimits(system, tenant),
    ]
    return role === 'owner' && account?.status === 'confirmed' && open !== undefined
  }

  return {
    async open(token, source) {
      if (!(await linkExists(system, hashOf(token), new Date(clock.now())))) notFound()
      // Before the link is taken: it can be tried again.
      if (running >= LIMITS.exports.perProcess) fail('UNAVAILABLE', { what: 'other exports are under way' })
      running += 1
      try {
        return await begin(token, source)
      } catch (error) {
        running -= 1
        throw error
      }
    },
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function notFound(): never {
  return fail('NOT_FOUND', { what: 'The export' })
}
