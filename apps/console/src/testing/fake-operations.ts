// The fake server's implementation of each operation that the console calls.
import { createHash, randomBytes } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { announcements } from '@bowline/contract/operations/announcements'
import { apiKeys } from '@bowline/contract/operations/api-keys'
import { auth } from '@bowline/contract/operations/auth'
import { STATUS_WORDS, devices } from '@bowline/contract/operations/devices'
import { firewall } from '@bowline/contract/operations/firewall'
import { heldLogins } from '@bowline/contract/operations/held-logins'
import { mails } from '@bowline/contract/operations/mails'
import { mfa } from '@bowline/contract/operations/mfa'
import { certificates, instance, nodes } from '@bowline/contract/operations/instance'
import { namespaces } from '@bowline/contract/operations/namespaces'
import { publicKeys } from '@bowline/contract/operations/public-keys'
import { scim } from '@bowline/contract/operations/scim'
import { sessions } from '@bowline/contract/operations/sessions'
import { saml } from '@bowline/contract/operations/single-sign-on'
import { events, stats } from '@bowline/contract/operations/stats'
import { tags } from '@bowline/contract/operations/tags'
import { connectors } from '@bowline/contract/operations/connectors'
import { tunnels } from '@bowline/contract/operations/tunnels'
import { users } from '@bowline/contract/operations/users'
import { alerts } from '@bowline/contract/operations/fleet/alerts'
import { roles } from '@bowline/contract/operations/fleet/roles'
import { auditStreams } from '@bowline/contract/operations/fleet/audit-streams'
import { health } from '@bowline/contract/operations/fleet/health'
import { incidents, presence } from '@bowline/contract/operations/fleet/presence'
import { deviceJobs } from '@bowline/contract/operations/fleet/device-jobs'
import { accessRequests } from '@bowline/contract/operations/fleet/access-requests'
import { snippets } from '@bowline/contract/operations/fleet/snippets'
import { tagRules } from '@bowline/contract/operations/fleet/tag-rules'
import { views } from '@bowline/contract/operations/fleet/views'
import { Filter } from '@bowline/contract/schemas/filter'
import { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import type { Credentials } from './fake-credentials.ts'
import type { Routes } from './fake-http.ts'
import type { FakeState } from './fake-state.ts'
import { NAMESPACE, makeNamespace } from './fixtures.ts'

/** Binds every operation of the console to the state. */
export function bindOperations(routes: Routes, state: FakeState, credentials: Credentials): void {
  bindInstance(routes, state)
  bindAuth(routes, state, credentials)
  bindDevices(routes, state)
  bindEvents(routes, state, credentials)

  // Must precede the namespace by id, whose path would match too.
  routes.on(apiKeys.list, ({ query }) => slice([], query))
  routes.on(scim.get, () => NO_PROVISIONING)
  routes.on(namespaces.get, () => makeNamespace())
  routes.on(namespaces.list, () => slice([makeNamespace()], { page: 1, per_page: 10 }))
  routes.on(heldLogins.list, () => [])
  routes.on(alerts.list, () => [])
  routes.on(auditStreams.list, () => [])
  routes.on(roles.list, () => [])
  routes.on(incidents.list, ({ query }) => slice([], query))
  routes.on(presence.get, () => NO_PRESENCE)
  routes.on(presence.ofDevice, () => NO_DEVICE_PRESENCE)
  routes.on(health.ofDevice, () => NO_HEALTH)
  routes.on(snippets.list, () => [])
  routes.on(accessRequests.list, ({ query }) => slice([], query))
  routes.on(deviceJobs.list, () => [])
  routes.on(views.list, () => [])
  routes.on(views.favorites, () => [])
  routes.on(publicKeys.list, ({ query }) => slice([], query))
  routes.on(firewall.list, ({ query }) => slice([], query))
  routes.on(connectors.list, ({ query }) => slice([], query))
  routes.on(tunnels.list, ({ query }) => slice([], query))
  routes.on(announcements.unread, () => [])
  routes.on(announcements.list, ({ query }) => slice([], query))
  routes.on(users.listSignIns, ({ query }) => slice([], query))
  routes.on(certificates.list, () => state.certificates)
  routes.on(nodes.list, () => ({ nodes: [...state.nodes] }))
  routes.on(users.listIdentities, () => [])
  routes.on(mails.list, ({ query }) => slice([], query))
  routes.on(mails.settings, () => MAIL_SETTINGS)
  routes.on(mails.templates, () => [])
  routes.on(tags.list, () => slice([], { page: 1, per_page: 10 }))
  routes.on(tagRules.list, () => ({ rules: [], waiting: 0, devices: 0 }))
  routes.on(sessions.list, ({ query }) => {
    const all = [...state.sessions.values()].sort((a, b) => b.last_seen.localeCompare(a.last_seen))
    return slice(all, query)
  })
}

/** Nothing has been recorded. */
const NO_DEVICE_PRESENCE = {
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T00:00:00.000Z',
  known_from: '2026-11-02T00:00:00.000Z',
  online_seconds: 0,
  share: null,
  spans: [],
}

/** Nothing has been recorded. */
const NO_PRESENCE = {
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T00:00:00.000Z',
  bucket_seconds: 900,
  devices: 0,
  buckets: [],
}

/** Of a device without reports. */
const NO_HEALTH = {
  latest: null,
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T00:00:00.000Z',
  step_seconds: 300,
  points: [],
}

/** Provisioning is off. */
const NO_PROVISIONING = {
  enabled: false,
  base_url: 'https://bowline.example.com/api/scim/v2/namespace',
  mails: true,
  default_role: 'observer' as const,
  joins_at_sign_in: false,
  roles: [],
  tokens: [],
  users: 0,
  groups: 0,
  requests: [],
}

/** No mail server is set. */
const MAIL_SETTINGS = {
  enabled: false,
  host: '',
  port: 0,
  implicit_tls: false,
  starttls: 'required',
  user: '',
  private_ca: false,
  from: '',
  reply_to: '',
  name: '',
  links_to: 'http://localhost:8080',
  templates: '',
} as const

function bindInstance(routes: Routes, state: FakeState): void {
  routes.on(instance.info, (_, { request }) => ({
    version: '0.1.0',
    endpoints: { ssh: `${(request.headers.host ?? '').replace(/:\d+$/, '')}:2222`, api: request.headers.host ?? '' },
    setup: state.user !== undefined,
    authentication: state.authentication,
    registration: state.registration,
    mail: true,
    edition: 'community' as const,
    reachable: state.reachable,
    pin: state.pin,
  }))
  routes.on(mfa.get, () => ({ enabled: false, authenticators: [], recovery_codes_left: 0 }))
  // The fake server has no SAML sign-in.
  routes.on(saml.start, (_, { request }) => ({ url: `http://${request.headers.host ?? ''}/identity-provider` }))
  routes.on(instance.setup, ({ query, body }) => {
    if (state.user || query.sign !== state.setupSign) fail('SETUP_REFUSED')
    state.user = { ...body, role: 'owner' }
    return undefined
  })
}

function bindAuth(routes: Routes, state: FakeState, credentials: Credentials): void {
  routes.on(auth.createSession, ({ body }, { response }) => {
    response.setHeader('x-account-lockout', '0')
    const lockedUntil = credentials.lockedUntil(body.username)
    if (lockedUntil > 0) {
      response.setHeader('x-account-lockout', String(lockedUntil))
      fail('LOCKED_OUT')
    }
    const { user } = state
    if (!user || body.username !== user.username || body.password !== user.password) {
      const until = credentials.failed(body.username)
      response.setHeader('x-account-lockout', String(until))
      fail(until > 0 ? 'LOCKED_OUT' : 'BAD_CREDENTIALS')
    }
    return credentials.start(user, response)
  })
  routes.on(auth.refreshSession, (_, { request, response }) => credentials.refresh(state.user, request, response))
  routes.on(auth.deleteSession, (_, { request, response }) => {
    credentials.end(request, response)
    return undefined
  })
  routes.on(auth.authenticateDevice, ({ body }) => {
    const mac = body.identity?.mac ?? '00:00:00:00:00:00'
    const uid = DeviceUid.parse(
      createHash('sha256')
        .update(mac + body.public_key + body.tenant_id)
        .digest('hex'),
    )
    const known = state.devices.get(uid)
    const now = new Date().toISOString()
    const device =
      known ??
      state.addDevice({
        uid,
        name: (body.hostname ?? mac.replaceAll(':', '-')).toLowerCase(),
        identity: { mac },
        info: body.info,
        public_key: body.public_key,
        status: 'pending',
        online: false,
        created_at: now,
        status_updated_at: now,
        status_update_at: now,
        last_seen: now,
        remote_addr: '127.0.0.1',
      })
    const statement = randomBytes(32).toString('base64url')
    return { uid, token: `device.${uid}`, name: device.name, namespace: NAMESPACE, statement_key: statement }
  })
}

function bindDevices(routes: Routes, state: FakeState): void {
  routes.on(devices.list, ({ query }) => {
    const { words, hostKeyChanged, inTrouble } = searched(query.filter)
    const chosen = [...state.devices.values()].filter(
      (device) =>
        (query.status === '' || device.status === query.status) &&
        JSON.stringify(device).includes(words) &&
        (!hostKeyChanged || Boolean(device.host_key?.presented)) &&
        (!inTrouble || (device.health?.troubles.length ?? 0) > 0),
    )
    const direction = query.order_by === 'asc' ? 1 : -1
    const value = (device: Device): string => JSON.stringify(device[query.sort_by as keyof Device] ?? '')
    chosen.sort((a, b) => direction * (value(a).localeCompare(value(b)) || a.uid.localeCompare(b.uid)))
    return slice(chosen, query)
  })
  // Before the call whose path has a uid there.
  routes.on(devices.facets, () => [])
  routes.on(devices.userAuthority, () => {
    const line = { public_key: 'ssh-ed25519 AAAA bowline-acme', fingerprint: `SHA256:${'U'.repeat(43)}` }
    const [file, small] = ['/etc/ssh/bowline_users.pub', '/etc/dropbear/authorized_keys']
    const trust = `TrustedUserCAKeys ${file}`
    const commands = [`echo '${line.public_key}' > ${file}`, `echo '${trust}' >> /etc/ssh/sshd_config`]
    return {
      openssh: { ...line, file, commands, sshd_config: trust },
      dropbear: { ...line, file: small, commands: [`echo '${line.public_key}' >> ${small}`] },
    }
  })
  routes.on(devices.get, ({ params }) => state.devices.get(params.uid) ?? fail('NOT_FOUND', { what: 'The device' }))
  routes.on(devices.remove, ({ params }) => {
    if (!state.removeDevice(params.uid)) fail('NOT_FOUND', { what: 'The device' })
    return undefined
  })
  routes.on(devices.acceptHostKey, ({ params, body }) => {
    const { host_key: known } = state.devices.get(params.uid) ?? fail('NOT_FOUND', { what: 'The device' })
    if (!known?.presented || known.presented.fingerprint !== body.fingerprint) fail('HOST_KEY_NOT_PRESENTED')
    const { type, fingerprint } = known.presented
    const accepted = { host_key: { type, fingerprint, presented: null } }
    return state.changeDevice(params.uid, accepted) ?? fail('NOT_FOUND', { what: 'The device' })
  })
  routes.on(devices.setStatus, ({ params }) => {
    const device = state.devices.get(params.uid) ?? fail('NOT_FOUND', { what: 'The device' })
    const status = STATUS_WORDS[params.status]
    if (status === 'unused') return undefined
    if (device.status === 'accepted') fail('DEVICE_STATUS_FINAL')
    const namesake = [...state.devices.values()].some(
      (other) => other.uid !== device.uid && other.status === 'accepted' && other.name === device.name,
    )
    if (status === 'accepted' && namesake) fail('DEVICE_NAME_TAKEN', { name: device.name })
    state.setStatus(device.uid, status)
    return undefined
  })
  routes.on(devices.undoAccept, ({ params }) => {
    if (state.devices.get(params.uid)?.status !== 'accepted') fail('ACCEPTANCE_FINAL', { minutes: 15 })
    state.setStatus(params.uid, 'pending')
    return undefined
  })
}

function bindEvents(routes: Routes, state: FakeState, credentials: Credentials): void {
  routes.on(stats.get, () => {
    const all = [...state.devices.values()]
    const count = (status: Device['status']) => all.filter((device) => device.status === status).length
    return {
      registered_devices: count('accepted'),
      online_devices: all.filter((device) => device.status === 'accepted' && device.online).length,
      pending_devices: count('pending'),
      rejected_devices: count('rejected'),
      containers: { registered: 0, online: 0, pending: 0, rejected: 0 },
      active_sessions: [...state.sessions.values()].filter((session) => session.active).length,
      pending_access_requests: 0,
    }
  })
  routes.on(events.stream, (_, { request, response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(': hello\n\n')
    const header = request.headers['last-event-id']
    const end = state.follow(typeof header === 'string' ? Number(header) : undefined, (id, event) => {
      if (!response.writableEnded) response.write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`)
    })
    credentials.streams.add(response)
    response.on('close', () => {
      end()
      credentials.streams.delete(response)
    })
    // The stream's response was already written above.
    return { type: 'reset' as const }
  })
}

/** The fake understands three filters: the first word of a search, the mark of changed host keys, and any trouble. */
function searched(filter: string | undefined): { words: string; hostKeyChanged: boolean; inTrouble: boolean } {
  const items = filter === undefined ? [] : Filter.parse(JSON.parse(Buffer.from(filter, 'base64').toString('utf8')))
  const values = new Map(
    items.flatMap((item) => (item.type === 'property' ? [[item.params.name, item.params] as const] : [])),
  )
  const words = String(values.get('words')?.value ?? '')
  return { words, hostKeyChanged: values.has('host_key_changed'), inTrouble: values.has('trouble') }
}

function slice<T>(all: T[], { page, per_page }: { page: number; per_page: number }): { items: T[]; total: number } {
  return { items: all.slice((page - 1) * per_page, page * per_page), total: all.length }
}
