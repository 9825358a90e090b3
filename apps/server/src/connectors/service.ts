// Use cases of connectors. A connector is stored and validated but not dialled yet, and its status says so.
import { fail } from '@bowline/contract/errors'
import type { connectors as operations } from '@bowline/contract/operations/connectors'
import type { Input } from '@bowline/contract/operation'
import type { Connector } from '@bowline/contract/schemas/connector'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Listing } from '../db/lists/listing.ts'
import { type EgressRules, judgeEgress } from '../platform/network/egress.ts'
import type { Ids } from '../platform/ids.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import {
  type ConnectorRow,
  deleteConnector,
  findConnector,
  insertConnector,
  listConnectors,
  updateConnector,
} from './store.ts'

export interface ConnectorDeps {
  readonly ids: Ids
  readonly secretKey: SecretKey
  readonly egress: EgressRules
}

type Body = Input<typeof operations.create>['body']

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

/** @throws {BowlineError} INVALID_INPUT when TLS material is missing or the address may not be dialled */
export async function create(deps: ConnectorDeps, ctx: TenantContext, body: Body): Promise<void> {
  const uid = deps.ids.uuid()
  const values = await toColumns(deps, uid, body)
  await ctx.db.transaction().execute(async (db) => {
    await insertConnector(db, { uid, tenant_id: ctx.tenant, ...values })
    await audit({ ...ctx, db }, 'connector.create', uid, { after: facts(body) })
  })
}

/** Omitted fields keep their values. @throws {BowlineError} NOT_FOUND, INVALID_INPUT */
export async function update(
  deps: ConnectorDeps,
  ctx: TenantContext,
  uid: string,
  changes: Input<typeof operations.update>['body'],
): Promise<void> {
  const row = await getRow(ctx, uid)
  const body: Body = {
    enable: changes.enable ?? row.enable,
    address: changes.address ?? row.address,
    port: changes.port ?? row.port,
    secure: changes.secure ?? row.secure,
    tls: changes.tls === undefined ? openTls(deps, row) : changes.tls,
  }
  const values = await toColumns(deps, uid, body)
  await ctx.db.transaction().execute(async (db) => {
    await updateConnector(db, uid, values)
    await audit({ ...ctx, db }, 'connector.update', uid, { before: facts(row), after: facts(body) })
  })
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(ctx: TenantContext, uid: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    if (!(await deleteConnector(db, uid))) fail('NOT_FOUND', { what: 'The connector' })
    await audit({ ...ctx, db }, 'connector.remove', uid)
  })
}

async function getRow(ctx: TenantContext, uid: string): Promise<ConnectorRow> {
  return (await findConnector(ctx.db, uid)) ?? fail('NOT_FOUND', { what: 'The connector' })
}

async function toColumns(deps: ConnectorDeps, uid: string, body: Body) {
  if (body.secure && !body.tls) fail('INVALID_INPUT', { field: 'tls', rule: 'is required when secure is set' }, ['tls'])
  const answer = await judgeEgress(body.address, deps.egress)
  if ('refused' in answer && !answer.refused.endsWith('cannot be resolved')) {
    fail('INVALID_INPUT', { field: 'address', rule: answer.refused }, ['address'])
  }
  const why = 'refused' in answer ? answer.refused : 'connectors are not dialled yet by this version'
  return {
    enable: body.enable,
    address: body.address,
    port: body.port,
    secure: body.secure,
    tls_ca: body.tls?.ca ?? null,
    tls_cert: body.tls?.cert ?? null,
    tls_key: body.tls ? deps.secretKey.seal(sealName(uid), Buffer.from(body.tls.key)) : null,
    status_state: 'disconnected',
    status_message: body.enable ? why : 'the connector is switched off',
  }
}

function openTls(deps: ConnectorDeps, row: ConnectorRow): Body['tls'] {
  if (row.tls_ca === null || row.tls_cert === null || row.tls_key === null) return null
  return { ca: row.tls_ca, cert: row.tls_cert, key: deps.secretKey.open(sealName(row.uid), row.tls_key).toString() }
}

const sealName = (uid: string): string => `connector ${uid}`

function facts({ enable, address, port, secure }: Pick<Body, 'enable' | 'address' | 'port' | 'secure'>) {
  return { enable, address, port, secure }
}

function toConnector(row: ConnectorRow): Connector {
  return {
    uid: row.uid,
    tenant_id: row.tenant_id,
    enable: row.enable,
    address: row.address,
    port: row.port,
    secure: row.secure,
    status: {
      state: row.status_state,
      message: row.status_message,
      State: row.status_state === 'connected',
      Message: row.status_message,
    },
    tls: row.tls_ca === null ? null : { ca: row.tls_ca, cert: row.tls_cert ?? '', key: '' },
  }
}
