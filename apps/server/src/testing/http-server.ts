// A namespace with one of everything, and its ids for the path parameters of operations: for tests that cover every
// operation of the contract.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { Operation } from '@bowline/contract/operation'
import { pathParameters } from '@bowline/contract/operation'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { type BootedServer, type Person, type RegisteredDevice, setStatus } from './boot.ts'

export interface World {
  readonly owner: Person
  /** An accepted member beside the owner. */
  readonly member: Person
  readonly device: RegisteredDevice
  readonly pendingDevice: RegisteredDevice
  readonly sessionUid: SessionUid
  readonly fingerprint: string
  readonly viewId: string
  readonly snippetId: string
  readonly tagRuleId: string
  readonly roleId: string
  readonly accessRequestId: string
  readonly jobId: string
  readonly incidentId: string
  readonly alertId: string
  readonly streamId: string
  readonly ruleId: string
  readonly apiKeyName: string
  /** The key itself, with the role of an owner. */
  readonly apiKey: string
  readonly tunnelAddress: string
  readonly connectorUid: string
  readonly passkeyId: string
  /** Part of every name in this namespace and of nothing else. */
  readonly marker: string
  readonly signInId: string
  readonly identityId: string
  readonly scimTokenId: string
  readonly rolloutId: string
  /** Code of a login by the owner's key that waits. */
  readonly heldLoginCode: string
}

/** Creates one of everything, by API calls where possible. */
export async function populate(server: BootedServer, owner: Person): Promise<World> {
  const marker = `mark${randomBytes(4).toString('hex')}`
  const { client, tenant } = owner
  const member = await server.addPerson(`${marker}-member`)
  await server.addMember(tenant, member.id, 'operator')
  const device = await server.acceptedDevice(owner, { hostname: `${marker}-device` })
  await client.call(operations.devices.addTag, { params: { uid: device.uid }, body: { tag: marker } })
  const pendingDevice = await server.registerDevice(tenant, { hostname: `${marker}-pending` })
  await setStatus(owner, pendingDevice.uid, 'reject')
  const sessionUid = SessionUid.parse(randomBytes(32).toString('hex'))
  await server.database
    .system()
    .insertInto('sessions')
    .values({ uid: sessionUid, tenant_id: tenant, device_uid: device.uid, username: marker, type: 'term' })
    .execute()
  await postFrame(server, sessionUid, `${marker}\r\n`)
  const filter = { tags: [marker] }
  const key = { name: marker, username: '.*', filter, data: authorizedKey() }
  const { body: publicKey } = await client.call(operations.publicKeys.create, { body: key })
  const rule = { action: 'allow' as const, active: true, filter, priority: 1, source_ip: '.*', username: marker }
  const { body: firewallRule } = await client.call(operations.firewall.create, { body: rule })
  const apiKeyName = marker.slice(0, 20)
  const { body: apiKey } = await client.call(operations.apiKeys.create, {
    body: { name: apiKeyName, expires_at: -1, role: 'administrator' },
  })
  await client.call(operations.installKeys.create, { body: { name: apiKeyName } })
  const { body: tunnel } = await client.call(operations.tunnels.create, {
    params: { uid: device.uid },
    body: { host: '127.0.0.1', port: 8_000, ttl: -1 },
  })
  const connector = { enable: false, address: `${marker}.example.org`, port: 2_375, secure: false }
  await client.call(operations.connectors.create, { body: connector })
  const { body: connectors } = await client.call(operations.connectors.list, {})
  const { body: scimToken } = await client.call(operations.scim.createToken, {
    params: { tenant },
    body: { name: marker },
  })
  const [passkeyId, signInId, identityId] = [randomUUID(), randomUUID(), randomUUID()]
  const noKey = { credential_id: randomBytes(16), public_key: randomBytes(16), aaguid: randomUUID() }
  await server.database
    .system()
    .insertInto('passkeys')
    .values({
      id: passkeyId,
      user_id: owner.id,
      ...noKey,
      multi_device: false,
      backed_up: false,
      name: marker,
      created_at: new Date(),
    })
    .execute()
  const rolloutId = randomUUID()
  const begun = { started_at: new Date(), stage_since: new Date() }
  await server.database
    .system()
    .insertInto('agent_rollouts')
    .values({ id: rolloutId, tenant_id: tenant, release: 2, version: marker, state: 'paused', stage: 'all', ...begun })
    .execute()
  const now = new Date()
  const use = { created_at: now, last_seen: now, expires_at: new Date(now.getTime() + 86_400_000) }
  await server.database
    .system()
    .insertInto('sign_ins')
    .values({ id: signInId, user_id: owner.id, kind: 'token', ...use })
    .execute()
  await server.database
    .system()
    .insertInto('identities')
    .values({
      id: identityId,
      kind: 'openid',
      issuer: 'https://idp.example.org',
      subject: marker,
      user_id: owner.id,
      email: `${marker}@example.org`,
      created_at: now,
      last_used: now,
    })
    .execute()
  const heldLoginCode = [...randomBytes(8)].map((byte) => String.fromCodePoint(65 + (byte % 26))).join('')
  await server.database
    .system()
    .insertInto('held_logins')
    .values({
      id: randomUUID(),
      tenant_id: tenant,
      code: heldLoginCode,
      user_id: owner.id,
      credential: randomBytes(32),
      key_name: marker,
      source: '192.0.2.7',
      address: '192.0.2.7',
      device_uid: device.uid,
      username: marker,
      created_at: now,
      expires_at: use.expires_at,
    })
    .execute()
  const { body: view } = await client.call(operations.views.create, { body: { name: marker.slice(0, 60), query: {} } })
  const { body: snippet } = await client.call(operations.snippets.create, {
    body: { name: marker.slice(0, 80), text: marker },
  })
  const { body: tagRule } = await client.call(operations.tagRules.create, {
    body: { tag: 'by-a-rule', query: 'note:nothing-has-this' },
  })
  const { body: role } = await client.call(operations.roles.create, {
    body: { name: marker.slice(0, 60), permissions: ['auditRead'] },
  })
  const { body: access } = await client.call(operations.accessRequests.create, {
    body: { device: device.uid, accounts: ['root'], minutes: 60, reason: marker },
  })
  const job = await server.database
    .system()
    .insertInto('device_jobs')
    .values({ tenant_id: owner.tenant, user_id: owner.id, action: 'tag', total: 0, state: 'done', undoes: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  const alert = await server.database
    .system()
    .insertInto('alert_rules')
    .values({
      tenant_id: tenant,
      name: marker.slice(0, 60),
      condition: 'offline',
      minutes: 5,
      devices: null,
      target: 'mail',
      recipients: [owner.id],
      sealed_url: null,
      sealed_secret: null,
      fired_at: null,
      failing_since: null,
      disabled_reason: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const sealed = Buffer.from(marker)
  const secrets = { sealed_url: sealed, sealed_secret: sealed, sealed_authorization: sealed }
  const named = { name: marker.slice(0, 60), host: marker }
  const paused = { tenant_id: tenant, ...named, active: false, format: 'ndjson' as const }
  const stream = await server.database
    .system()
    .insertInto('audit_streams')
    .values({ ...paused, ...secrets, position: 0, failing_since: null, disabled_reason: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  const leftAt = new Date(Date.now() - 3_600_000)
  const departure = await server.database
    .system()
    .insertInto('presence_spans')
    .values({ tenant_id: tenant, device_uid: device.uid, started_at: leftAt, ended_at: leftAt, network: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return {
    owner,
    member,
    incidentId: String(departure.id),
    alertId: alert.id,
    streamId: stream.id,
    viewId: view.id,
    snippetId: snippet.id,
    tagRuleId: tagRule.id,
    roleId: role.id,
    accessRequestId: access.id,
    jobId: job.id,
    device,
    pendingDevice,
    sessionUid,
    fingerprint: publicKey.fingerprint,
    ruleId: String(firewallRule.id),
    apiKeyName,
    apiKey: apiKey.id,
    tunnelAddress: tunnel.address,
    connectorUid: connectors[0]?.uid ?? '',
    passkeyId,
    signInId,
    identityId,
    scimTokenId: scimToken.id,
    rolloutId,
    heldLoginCode,
    marker,
  }
}

/** Adds output to the recording of a session's first seat, as another part of the platform does. */
export async function postFrame(server: BootedServer, uid: SessionUid, message: string): Promise<void> {
  const params = { uid, seat: '0' }
  await server.client().call(operations.sessions.addRecord, {
    params,
    headers: server.nodeHeaders,
    body: { uid, seat: 0, message, width: 80, height: 24 },
  })
}

/** Ids of a world for every parameter in the path of an operation. */
export function paramsOf(operation: Operation, world: World): Record<string, string> {
  return Object.fromEntries(pathParameters(operation.path).map((name) => [name, paramOf(operation, name, world)]))
}

function paramOf({ method, path }: Operation, name: string, world: World): string {
  const one: Record<string, string> = {
    tenant: world.owner.tenant,
    status: 'pending',
    tag: world.marker,
    seat: '0',
    address: world.tunnelAddress,
    fingerprint: world.fingerprint,
    key: world.apiKeyName,
    uuid: randomUUID(),
    code: world.heldLoginCode,
    link: randomUUID(),
    install_key: world.apiKeyName,
    'user-id': world.owner.id,
    user: world.owner.id,
  }
  if (path.includes('/openid/')) return randomUUID()
  if (path.includes('/scim/') && name === 'id') return world.scimTokenId
  // Nobody and nothing here: what is done to the caller or their namespace would end the test.
  if (name === 'namespace') return randomUUID()
  if (name === 'user' && method !== 'GET' && !path.includes('/identities')) return '0'.repeat(24)
  const noun = path.split('/')[2] ?? ''
  const uids: Record<string, string> = {
    devices: path.includes('{status}') ? world.pendingDevice.uid : world.device.uid,
    containers: path.includes('{status}') ? world.pendingDevice.uid : world.device.uid,
    sessions: world.sessionUid,
    connector: world.connectorUid,
    namespaces: world.member.id,
    user: world.owner.id,
    users: world.owner.id,
    firewall: world.ruleId,
    mails: randomUUID(),
    views: world.viewId,
    snippets: world.snippetId,
    'tag-rules': world.tagRuleId,
    roles: world.roleId,
    'access-requests': world.accessRequestId,
    'device-jobs': world.jobId,
    incidents: world.incidentId,
    alerts: world.alertId,
    'audit-streams': world.streamId,
    'agent-updates': world.rolloutId,
    favorites: world.device.uid,
  }
  const ofPerson = path.includes('/passkeys/')
    ? world.passkeyId
    : path.includes('/sign-ins/')
      ? world.signInId
      : path.includes('/identities/') && name === 'id'
        ? world.identityId
        : undefined
  const value = ofPerson ?? one[name] ?? uids[noun]
  if (value === undefined) throw new Error(`no value for {${name}} of ${method} ${path}: add one to http/testing.ts`)
  return value
}

/** A fresh key as clients send it: base64 of an authorized_keys line. */
function authorizedKey(): string {
  const raw = Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const wire = Buffer.concat([lengthPrefixed(Buffer.from('ssh-ed25519')), lengthPrefixed(raw)])
  return Buffer.from(`ssh-ed25519 ${wire.toString('base64')} somebody\n`).toString('base64')
}

function lengthPrefixed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
