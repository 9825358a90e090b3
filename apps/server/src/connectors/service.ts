// Use cases of connectors: engines that the server dials, so that their containers become devices.
import { MAX_RSA_BITS, isSlowKey } from '@bowline/base/tls-clients'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { connectors as operations } from '@bowline/contract/operations/connectors'
import type { Input } from '@bowline/contract/operation'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Connector } from '@bowline/contract/schemas/connector'
import { EngineError } from '@bowline/engine/errors'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Listing } from '../db/lists/listing.ts'
import { type EgressRules, judgeEgress } from '../platform/network/egress.ts'
import type { Ids } from '../platform/ids.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import type { Dialing } from './dialing/dialing.ts'
import {
  type ConnectorRow,
  countForInsert,
  deleteConnector,
  findCarrier,
  findConnector,
  insertConnector,
  listConnectors,
  updateConnector,
} from './store.ts'
import { type EngineDeps, engineOf, sealName } from './target.ts'

export interface ConnectorDeps {
  readonly ids: Ids
  readonly secretKey: SecretKey
  readonly egress: EgressRules
  /** Links of devices, for engines that a device reaches. */
  readonly links: EngineDeps['links']
  /** Follows changes; the command line leaves that to the server, which looks every few seconds. */
  readonly dialing: Pick<Dialing, 'changed'>
}

type Body = Input<typeof operations.create>['body']

/** A connector as it is to be: with an address, or through a device. */
interface Wanted {
  readonly enable: boolean
  readonly device: DeviceUid | null
  readonly address: string
  readonly port: number
  readonly secure: boolean
  readonly tls: Body['tls']
}

export async function list(
  ctx: TenantContext,
  query: Input<typeof operations.list>['query'],
): Promise<Listing<Connector>> {
  const { rows, total } = await listConnectors(ctx.db, {
    enable: query.enable === undefined ? undefined : query.enable === 'true',
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  return { items: rows.map((row) => toConnector(row)), total }
}

/** @throws {BowlineError} NOT_FOUND */
export async function get(ctx: TenantContext, uid: string): Promise<Connector> {
  return toConnector(await getRow(ctx, uid))
}

/**
 * Saves a connector and dials its engine.
 * @returns whether it is connected
 * @throws {BowlineError} INVALID_INPUT when TLS material is missing, the address may not be dialled, or the device is
 *   none of the namespace; POLICY_LIMIT
 */
export async function create(deps: ConnectorDeps, ctx: TenantContext, given: Body): Promise<boolean> {
  const uid = deps.ids.uuid()
  const body = wantedOf(given)
  await check(deps, ctx, body)
  await ctx.db.transaction().execute(async (db) => {
    if ((await countForInsert(db, ctx.tenant)) >= LIMITS.connectorsPerNamespace) {
      fail('POLICY_LIMIT', { limit: LIMITS.connectorsPerNamespace, what: 'connectors' })
    }
    const values = { ...toColumns(body), ...sealTls(deps, uid, body.tls), ...firstStatus(body) }
    await insertConnector(db, { uid, tenant_id: ctx.tenant, ...values })
    await audit({ ...ctx, db }, 'connector.create', uid, { after: facts(body) })
  })
  return isConnected(deps, ctx, uid)
}

/**
 * Omitted fields keep their values. A change dials the engine anew, which ends sessions of its containers.
 * @returns whether it is connected
 * @throws {BowlineError} NOT_FOUND, INVALID_INPUT
 */
export async function update(
  deps: ConnectorDeps,
  ctx: TenantContext,
  uid: string,
  changes: Input<typeof operations.update>['body'],
): Promise<boolean> {
  const row = await getRow(ctx, uid)
  const body = wantedOf(merged(row, changes))
  await check(deps, ctx, body)
  const before = { ...row, device: row.device_uid }
  const isSame = JSON.stringify(facts(before)) === JSON.stringify(facts(body)) && changes.tls === undefined
  await ctx.db.transaction().execute(async (db) => {
    await updateConnector(db, uid, {
      ...toColumns(body),
      ...(changes.tls === undefined && body.device === null ? {} : sealTls(deps, uid, body.tls)),
      ...(isSame ? {} : firstStatus(body)),
    })
    await audit({ ...ctx, db }, 'connector.update', uid, { before: facts(before), after: facts(body) })
  })
  return isConnected(deps, ctx, uid)
}

/** Its containers go offline; their devices stay until somebody removes them. @throws {BowlineError} NOT_FOUND */
export async function remove(deps: Pick<ConnectorDeps, 'dialing'>, ctx: TenantContext, uid: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    if (!(await deleteConnector(db, uid))) fail('NOT_FOUND', { what: 'The connector' })
    await audit({ ...ctx, db }, 'connector.remove', uid)
  })
  await deps.dialing.changed(uid)
}

/**
 * The document that the engine has about itself.
 * @throws {BowlineError} NOT_FOUND; ENGINE_FAILED also when the connector is switched off
 */
export async function info(deps: ConnectorDeps, ctx: TenantContext, uid: string): Promise<Record<string, unknown>> {
  const row = await getRow(ctx, uid)
  if (!row.enable) fail('ENGINE_FAILED', { reason: 'the connector is switched off' })
  try {
    return await engineOf({ ...deps, clock: ctx.clock }, row).info()
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return fail('ENGINE_FAILED', { reason: error.message })
  }
}

async function getRow(ctx: TenantContext, uid: string): Promise<ConnectorRow> {
  return (await findConnector(ctx.db, uid)) ?? fail('NOT_FOUND', { what: 'The connector' })
}

/** Waits for the first dial after a change. */
async function isConnected({ dialing }: ConnectorDeps, ctx: TenantContext, uid: string): Promise<boolean> {
  await dialing.changed(uid)
  return (await findConnector(ctx.db, uid))?.status_state === 'connected'
}

/** Stands for stored texts that an update leaves as they are. */
const KEPT: Body['tls'] = { ca: '', cert: '', key: '' }

/** What an update leaves out stays, unless a device takes the place of an address or the other way round. */
function merged(row: ConnectorRow, changes: Input<typeof operations.update>['body']): Body {
  const device = changes.device === undefined ? row.device_uid : changes.device
  const enable = changes.enable ?? row.enable
  if (device !== null || row.device_uid !== null) return { ...changes, enable, device }
  return {
    enable,
    address: changes.address ?? row.address,
    port: changes.port ?? row.port,
    secure: changes.secure ?? row.secure,
    tls: changes.tls === undefined ? (row.tls_ca === null ? null : KEPT) : changes.tls,
  }
}

/** @throws {BowlineError} INVALID_INPUT when there is both an address and a device, or only a part of either */
function wantedOf({ enable, device, tls, ...given }: Body): Wanted {
  const missing = (field: string): never => fail('INVALID_INPUT', { field, rule: 'is required' }, [field])
  const { address = missing('address'), port = missing('port'), secure = missing('secure') } = device ? NOWHERE : given
  if (!device) return { enable, device: null, address, port, secure, tls }
  for (const [field, isGiven] of Object.entries({
    address: given.address !== undefined,
    port: given.port !== undefined,
    secure: given.secure === true,
    tls: Boolean(tls),
  })) {
    if (isGiven) fail('INVALID_INPUT', { field, rule: 'must be left out when device is set' }, [field])
  }
  return { enable, device, address, port, secure, tls: null }
}

/** In place of an address, where a device reaches the engine. */
const NOWHERE = { address: '', port: 0, secure: false }

/** @throws {BowlineError} INVALID_INPUT */
async function check(deps: ConnectorDeps, ctx: TenantContext, body: Wanted): Promise<void> {
  if (body.device !== null) {
    const carrier = await findCarrier(ctx.db, body.device)
    if (carrier?.status === 'accepted') return
    return fail('INVALID_INPUT', { field: 'device', rule: 'must be an accepted device of the namespace' }, ['device'])
  }
  if (body.secure && !body.tls) fail('INVALID_INPUT', { field: 'tls', rule: 'is required when secure is set' }, ['tls'])
  if (body.tls && isSlowKey(body.tls.key)) {
    fail('INVALID_INPUT', { field: 'tls.key', rule: `must have at most ${MAX_RSA_BITS} bits` }, ['tls.key'])
  }
  const answer = await judgeEgress(body.address, deps.egress)
  // A name may be known later.
  if ('refused' in answer && !answer.unresolved) {
    fail('INVALID_INPUT', { field: 'address', rule: answer.refused }, ['address'])
  }
}

function toColumns({ enable, device, address, port, secure }: Wanted) {
  return { enable, device_uid: device, address, port, secure }
}

function sealTls({ secretKey }: ConnectorDeps, uid: string, tls: Body['tls']) {
  return {
    tls_ca: tls?.ca ?? null,
    tls_cert: tls?.cert ?? null,
    tls_key: tls ? secretKey.seal(sealName(uid), Buffer.from(tls.key)) : null,
  }
}

function firstStatus({ enable }: Wanted) {
  return { status_state: 'disconnected', status_message: enable ? 'Connecting.' : 'It is switched off.' }
}

/** For the audit log. */
function facts({ enable, device, address, port, secure }: Omit<Wanted, 'tls'>) {
  return { enable, ...(device === null ? {} : { device }), address, port, secure }
}

function toConnector(row: ConnectorRow): Connector {
  return {
    uid: row.uid,
    tenant_id: row.tenant_id,
    enable: row.enable,
    address: row.address,
    port: row.port,
    secure: row.secure,
    device: row.device_uid,
    device_name: row.device_name,
    status: {
      state: row.status_state,
      message: row.status_message,
      State: row.status_state === 'connected',
      Message: row.status_message,
    },
    tls: row.tls_ca === null ? null : { ca: row.tls_ca, cert: row.tls_cert ?? '', key: '' },
  }
}
