// Which connectors this process dials: those that are enabled, one dialer each. Changes made here are followed at once,
// those of the command line within seconds.
import { PendingSet } from '@bowline/base/pending-set'
import { Semaphore } from '@bowline/base/semaphore'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Link, LinkCause } from '@bowline/link/api'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { type EnabledConnector, findCarrier, findConnector, listEnabled, updateConnector } from '../store.ts'
import { type EngineDeps, engineOf } from '../target.ts'
import { Dialer, REMOVED } from './dialer.ts'
import type { DeviceLinks } from './roster.ts'

export interface DialingDeps extends EngineDeps {
  /** All namespaces. */
  readonly system: Kysely<Schema>
  readonly contextOf: (tenant: TenantId, source: string) => TenantContext
  readonly links: DeviceLinks & EngineDeps['links']
  readonly log: TenantContext['log']
  /**
   * Of several nodes one dials a connector: the one that holds the link of its device, or for the others the one that
   * has the lease.
   */
  readonly node: string
  readonly hasLease: () => Promise<boolean>
}

export interface Dialing {
  start(): void
  /** Follows a change of a connector. @returns resolves when its status is known, or after {@link PATIENCE_MS} */
  changed(uid: string): Promise<void>
  close(): Promise<void>
}

/** Time until a change made elsewhere is seen, in milliseconds. */
const LOOK_MS = 5_000
/** A caller waits this long for the outcome of a dial. */
const PATIENCE_MS = 8_000
const PERMITS = { atOnce: 16, waiting: 1_000 }

const SWITCHED_OFF: LinkCause = {
  by: 'admin',
  reason: 'connector-disabled',
  message: 'Its connector was switched off.',
}
const EDITED: LinkCause = { by: 'admin', reason: 'connector-changed', message: 'Its connector was changed.' }
const STOPPED: LinkCause = { by: 'gateway', reason: 'stopped', message: 'The server has stopped.' }

interface Entry {
  readonly version: string
  readonly dialer: Dialer
  /** Of the device that reaches the engine, when it was last looked at. */
  link: Link | undefined
}

export function createDialing(deps: DialingDeps): Dialing {
  const { system, clock, log } = deps
  const dialers = new Map<string, Entry>()
  const permits = new Semaphore(PERMITS.atOnce, PERMITS.waiting)
  const pending = new PendingSet((error) => log.error('connector.error', { err: error }))
  /** One look at the table at a time. */
  let looking: Promise<void> = Promise.resolve()
  let closed = false
  let stopLooking = (): void => undefined

  async function look(): Promise<void> {
    if (closed) return
    const hasLease = await deps.hasLease()
    const isMine = ({ node }: EnabledConnector): boolean => (node === '' ? hasLease : node === deps.node)
    const wanted = new Map((await listEnabled(system)).filter(isMine).map((row) => [row.uid, row]))
    for (const [uid, { version, dialer }] of dialers) {
      const now = wanted.get(uid)
      if (now?.version === version) continue
      dialers.delete(uid)
      pending.track(end(uid, dialer, now !== undefined))
    }
    for (const connector of wanted.values()) {
      const entry = dialers.get(connector.uid)
      if (entry) followLink(entry, connector)
      else await begin(connector)
    }
  }

  /** A device that is back is not kept waiting for the next attempt. */
  function followLink(entry: Entry, { device }: EnabledConnector): void {
    const link = device === null ? undefined : deps.links.find(device)
    if (link && link !== entry.link) entry.dialer.retry()
    entry.link = link
  }

  async function end(uid: string, dialer: Dialer, isEdited: boolean): Promise<void> {
    const exists = isEdited || (await exist(uid))
    await dialer.stop(isEdited ? EDITED : exists ? SWITCHED_OFF : REMOVED)
  }

  const exist = async (uid: string): Promise<boolean> => (await findConnector(system, uid)) !== undefined

  async function begin({ uid, tenant, version }: EnabledConnector): Promise<void> {
    const row = await findConnector(deps.contextOf(tenant, '').db, uid)
    if (!row?.enable || closed) return
    const carrier =
      row.device_uid === null ? undefined : await findCarrier(deps.contextOf(tenant, '').db, row.device_uid)
    const ctx = deps.contextOf(tenant, carrier ? (carrier.remote_addr ?? '') : row.address)
    const report = async (state: string, message: string): Promise<boolean> => {
      const current = await findConnector(ctx.db, uid)
      if (current?.enable !== true) return false
      if (current.status_state === state && current.status_message === message) return true
      await updateConnector(ctx.db, uid, { status_state: state, status_message: message })
      return true
    }
    if (carrier && carrier.status !== 'accepted') {
      await report('disconnected', 'The device is not accepted.')
      return
    }
    try {
      const stopping = new AbortController()
      const engine = engineOf(deps, row, stopping.signal)
      const sessions = engineOf(deps, row)
      const abort = (): void => stopping.abort()
      const dialer = new Dialer({ uid, ctx, engine, sessions, abort, clock, links: deps.links, permits, report })
      dialers.set(uid, { version, dialer, link: row.device_uid === null ? undefined : deps.links.find(row.device_uid) })
    } catch (error) {
      // The secret key has changed.
      log.error('connector.error', { connector: uid, err: error })
      await report('disconnected', 'The private key of the connector cannot be read; enter it again.')
    }
  }

  /** @returns resolves after a look that began now or later */
  function lookAgain(): Promise<void> {
    looking = looking.then(look, look)
    return looking
  }

  return {
    start() {
      let isLooking = false
      const again = (): void => {
        // A database that does not answer collects no looks.
        if (isLooking) return
        isLooking = true
        pending.track(lookAgain().finally(() => (isLooking = false)))
      }
      again()
      stopLooking = clock.every(LOOK_MS, again)
    },
    async changed(uid) {
      await lookAgain()
      const found = dialers.get(uid)
      if (!found) return
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const cancel = clock.after(PATIENCE_MS, resolve)
      await Promise.race([found.dialer.tried, late])
      cancel()
    },
    async close() {
      closed = true
      stopLooking()
      await looking.catch(() => undefined)
      await Promise.all([...dialers.values()].map(({ dialer }) => dialer.stop(STOPPED)))
      await pending.drain()
    },
  }
}
