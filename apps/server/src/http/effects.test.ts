// Side effects of calls: no call changes anything that the caller's role may not change, neither the rows of other
// nouns nor access to devices. Generated: every operation that writes, each with all samples.
import { randomUUID } from 'node:crypto'
import { callPath } from '@bowline/contract/client'
import { allOperations, operations } from '@bowline/contract/operations'
import { ROLES, type Permission, type Role, roleMay } from '@bowline/contract/roles'
import { TenantId, type UserId } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Schema } from '../db/schema.ts'
import { evaluate } from '../firewall/rules.ts'
import { isEnabled, mayUseKey } from '../public-keys/rules.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { isTriedIn } from '../testing/matrix.ts'
import { type SampleInput, sampleInput } from '../testing/samples.ts'
import { DEVICE_TAG, TAG, type TestTenant, makeTenant } from '../testing/tenant.ts'
import { shortForm } from '../../../../scripts/short-form.ts'

let server: BootedServer
let rows: TestTenant
const people = new Map<Role, Person>()
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
  await server.addPerson('newcomer')
  for (const role of ROLES) people.set(role, await server.addPerson(`some-${role}`))
  const pending = await server.addPerson('some-pending')
  const idOf = (role: Role) => personOf(role).id
  const members = {
    observer: idOf('observer'),
    operator: idOf('operator'),
    administrator: idOf('administrator'),
    owner: idOf('owner'),
  }
  rows = await makeTenant(server.database, TenantId.parse(randomUUID()), members, pending.id)
})
afterAll(() => server.close())

function personOf(role: Role): Person {
  const person = people.get(role)
  if (!person) throw new Error(`there is no ${role}`)
  return person
}

/** A token of the namespace for each role. */
async function tokenOf(role: Role): Promise<string> {
  const params = { tenant: rows.id }
  return (await personOf(role).client.call(operations.auth.switchNamespace, { params })).body.token
}

/** By table: permissions of which any one lets a role change its rows. */
const OWNERS: Readonly<Record<string, readonly Permission[]>> = {
  firewall_rules: ['firewallCreate', 'firewallEdit', 'firewallRemove'],
  public_keys: ['publicKeyCreate', 'publicKeyEdit', 'publicKeyRemove'],
  api_keys: ['apiKeyCreate', 'apiKeyUpdate', 'apiKeyDelete'],
  install_keys: ['installKeyCreate', 'installKeyDelete'],
  agent_update_policies: ['agentUpdate'],
  agent_rollouts: ['agentUpdate'],
  // They end with their device.
  agent_states: ['deviceRemove'],
  namespace_roles: ['namespaceEditMember'],
  member_roles: ['namespaceEditMember', 'namespaceRemoveMember'],
  members: ['namespaceAddMember', 'namespaceEditMember', 'namespaceRemoveMember'],
  namespaces: ['namespaceUpdate', 'namespaceEnableSessionRecord'],
  tunnels: ['tunnelCreate', 'tunnelDelete'],
  connectors: ['connectorSet', 'connectorUpdate', 'connectorDelete'],
  alert_rules: ['namespaceUpdate'],
  alert_deliveries: ['namespaceUpdate'],
  audit_streams: ['namespaceUpdate'],
  // They end with their rule, or with their device.
  alert_states: ['namespaceUpdate', 'deviceRemove'],
  shared_snippets: ['namespaceUpdate'],
  tag_rules: ['tagRuleEdit'],
  access_requests: ['deviceConnect', 'firewallEdit'],
  recordings: ['sessionRemove'],
  login_keys: [],
  user_authorities: [],
  // They end with their device.
  key_logins_under_way: ['deviceRemove'],
}
const DEVICE_CHANGES: readonly Permission[] = ['deviceAccept', 'deviceUpdate', 'deviceRename', 'deviceTagUpdate']

/** Tags of one noun each. */
const ONLY = { installKey: 'enrolled', alert: 'watched', canary: 'early' }

/** Rows of a table as comparable text. @param except omits the caller's own membership */
async function rowsOf(db: Kysely<Schema>, table: string, except: UserId): Promise<string[]> {
  const others = table === 'members' ? sql`and user_id <> ${except}` : sql``
  const { rows: lines } = await sql<{ line: string }>`select t::text as line from ${sql.table(table)} as t
    where tenant_id = ${rows.id} ${others} order by 1`.execute(db)
  return lines.map(({ line }) => line)
}

/** By device: the rule that decides and the keys that are accepted. */
async function decisions(db: Kysely<Schema>): Promise<Record<string, unknown>> {
  const [devices, rules, keys] = [
    await db.selectFrom('devices').selectAll().where('tenant_id', '=', rows.id).orderBy('uid').execute(),
    await db.selectFrom('firewall_rules').selectAll().where('tenant_id', '=', rows.id).execute(),
    await db.selectFrom('public_keys').selectAll().where('tenant_id', '=', rows.id).execute(),
  ]
  return Object.fromEntries(
    devices.map((device) => {
      const attempt = { user: 'confidential', address: 'confidential', device }
      const open = keys.filter((key) => isEnabled(key) && mayUseKey(key, attempt)).map(({ fingerprint }) => fingerprint)
      return [device.uid, { ...evaluate(rules, attempt), open }]
    }),
  )
}

/** Everything that a role may not change. */
async function snapshot(role: Role): Promise<Record<string, unknown>> {
  const db = server.database.system()
  const kept: Record<string, unknown> = {}
  for (const [table, permissions] of Object.entries(OWNERS)) {
    if (permissions.some((permission) => roleMay(role, permission))) continue
    kept[table] = await rowsOf(db, table, personOf(role).id)
  }
  const mayChange = DEVICE_CHANGES.some((permission) => roleMay(role, permission))
  const devices = db.selectFrom('devices').where('tenant_id', '=', rows.id).orderBy('uid')
  if (!mayChange) kept['devices'] = await rowsOf(db, 'devices', personOf(role).id)
  if (!roleMay(role, 'deviceRemove')) kept['which devices there are'] = await devices.select('uid').execute()
  if (!roleMay(role, 'firewallEdit')) kept['decisions'] = await decisions(db)
  const owner = db.selectFrom('members').selectAll().where('role', '=', 'owner')
  kept['the owner'] = await owner.where('tenant_id', '=', rows.id).execute()
  return kept
}

/** The usual sample, and those that affect policy. */
function samplesOf(id: string, caller: UserId): SampleInput[] {
  const usual = sampleInput(id, rows, caller)
  const { device, container, waiting } = rows.ids
  const uid = id.startsWith('containers.') ? container : device
  switch (id.split('.').slice(1).join('.')) {
    case 'rename':
    case 'remove':
      if (!id.startsWith('tags.')) break
      return [TAG, DEVICE_TAG, 'second', ...Object.values(ONLY)].map((tag) => ({ ...usual, params: { tag } }))
    case 'removeTag':
      if (!/^(devices|containers)\./.test(id)) break
      return [TAG, DEVICE_TAG].map((tag) => ({ params: { uid, tag } }))
    case 'setTags':
      if (!/^(devices|containers)\./.test(id)) break
      return [[], ['another'], [TAG, 'second'], [TAG]].map((tags) => ({ params: { uid }, body: { tags } }))
    case 'addTag':
      if (!/^(devices|containers)\./.test(id)) break
      return ['second', 'another'].map((tag) => ({ params: { uid }, body: { tag } }))
    case 'update':
      if (!/^(devices|containers)\./.test(id)) break
      return [usual, { params: { uid }, body: { name: 'guarded' } }]
    case 'setStatus':
      return ['accept', 'reject', 'pending', 'unused'].map((status) => ({ params: { uid: waiting, status } }))
  }
  return [usual]
}

/** Resets the namespace and adds tags of single nouns, a rule and a key by hostname, and a pending device with an accepted one's MAC. */
async function reset(): Promise<void> {
  await rows.reset()
  const db = server.database.system()
  const tenant = { tenant_id: rows.id }
  const pattern = { hostname: '^guarded$', tags: null }
  await db
    .insertInto('firewall_rules')
    .values({ ...tenant, action: 'deny', active: true, priority: 9, source_ip: '.*', username: '.*', ...pattern })
    .execute()
  await db
    .insertInto('public_keys')
    .values({
      ...tenant,
      fingerprint: Array.from({ length: 16 }, () => 'ab').join(':'),
      blob: Buffer.from('key'),
      data: '',
      name: 'by name',
      username: '.*',
      owner: null,
      service: true,
      ...pattern,
    })
    .execute()
  await db
    .updateTable('install_keys')
    .set({ tags: [ONLY.installKey] })
    .where('tenant_id', '=', rows.id)
    .execute()
  await db
    .updateTable('alert_rules')
    .set({ tags: [ONLY.alert] })
    .where('id', '=', rows.ids.alert)
    .execute()
  await db
    .insertInto('agent_update_policies')
    .values({ ...tenant, mode: 'manual', canary_tag: ONLY.canary, window_start: null, window_minutes: null })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ canary_tag: ONLY.canary }))
    .execute()
  const twin = db.selectFrom('devices').select('mac').where('uid', '=', rows.ids.device)
  await db.updateTable('devices').set({ mac: twin }).where('uid', '=', rows.ids.waiting).execute()
}

const changing = allOperations().filter(
  ({ operation }) =>
    operation.method !== 'GET' && operation.access.kind !== 'internal' && isTriedIn('community', operation),
)

describe.each(['observer', 'operator', 'administrator'] as const)('calls by an %s', (role) => {
  it.each(shortForm(changing, 2))('changes nothing beyond the role’s permissions: $id', async ({ id, operation }) => {
    for (const [i] of samplesOf(id, personOf(role).id).entries()) {
      await reset()
      // Each reset makes new row ids, and so new samples.
      const input = samplesOf(id, personOf(role).id)[i] ?? {}
      const token = await tokenOf(role)
      const before = await snapshot(role)
      const response = await server.fetch(callPath(operation, input), {
        method: operation.method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      })
      await response.text()
      expect({ input, status: response.status, ...(await snapshot(role)) }).toEqual({
        input,
        status: response.status,
        ...before,
      })
    }
  })
})
