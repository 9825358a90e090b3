// A valid input for each operation of the contract, as a member with every permission could send it.
import { randomBytes } from 'node:crypto'
import type { Role } from '@bowline/contract/roles'
import { accessSamples } from './tenant-access.ts'
import { streamSamples } from './tenant-health.ts'
import { DEVICE_TAG, TAG, type TestTenant } from './tenant.ts'

export interface SampleInput {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A fresh Ed25519 key as `data` of a public key: base64 of a line in OpenSSH's format. */
export function freshKeyData(): string {
  const part = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const blob = Buffer.concat([part(Buffer.from('ssh-ed25519')), part(randomBytes(32))])
  return Buffer.from(`ssh-ed25519 ${blob.toString('base64')} comment`).toString('base64')
}

const fresh = (prefix: string): string => `${prefix}${randomBytes(4).toString('hex')}`
export const JOB_CALLS = ['get', 'failures', 'stop', 'undo', 'retry'].map((call) => `deviceJobs.${call}`)
const HOSTNAME_FILTER = { hostname: '.*' }

/**
 * @param tenant tenant of the rows in the input
 * @param caller id of the calling user; any text for other callers
 * @param role role of the member that member calls act on
 */
export function sampleInput(id: string, tenant: TestTenant, caller: string, role: Role = 'observer'): SampleInput {
  const { ids } = tenant
  const byTenant = { tenant: tenant.id }
  const byUid = { uid: ids.device }
  const member = { ...byTenant, uid: tenant.members[role] }
  const key = { fingerprint: ids.fingerprint }
  const [rule, job] = [{ id: ids.rule }, { id: ids.job }]
  const connector = { uid: ids.connector }
  const seat = { uid: ids.session, seat: 0 }
  const person = { name: 'Some Body', email: `${fresh('x')}@example.com`, username: fresh('x'), password: 'secret-12' }
  const ruleBody = {
    action: 'deny',
    active: true,
    priority: 1,
    source_ip: '.*',
    username: '.*',
    filter: HOSTNAME_FILTER,
  }
  const connectorBody = { enable: false, address: '192.0.3.7', port: 2376, secure: false }
  const newMember = { email: 'newcomer@example.com', role: 'observer' }
  const noProvider = { id: '00000000-0000-4000-8000-000000000000' }
  const wrong = { username: fresh('nobody'), password: 'wrong-password' }
  const signed = {
    id: 'AA',
    rawId: 'AA',
    type: 'public-key',
    response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
  }
  const importedDevice = {
    name: fresh('d'),
    info: { id: 'a', pretty_name: 'a', version: 'a', arch: 'a', platform: 'native' },
    public_key: 'none',
    status: 'pending',
  }
  const passkey = { id: '00000000-0000-4000-8000-000000000000' }
  const url = 'https://9.9.9.9/'
  const noIdentity = '00000000-0000-4000-8000-000000000000'
  const deviceCalls = (noun: 'devices' | 'containers'): Record<string, SampleInput> => {
    const uid = noun === 'devices' ? ids.device : ids.container
    return {
      [`${noun}.facets`]: { query: { by: 'tag' } },
      [`${noun}.get`]: { params: { uid } },
      [`${noun}.update`]: { params: { uid }, body: { name: fresh('d') } },
      [`${noun}.remove`]: { params: { uid } },
      [`${noun}.setStatus`]: { params: { uid: ids.waiting, status: 'accept' } },
      [`${noun}.undoAccept`]: { params: { uid } },
      [`${noun}.addTag`]: { params: { uid }, body: { tag: 'another' } },
      [`${noun}.setTags`]: { params: { uid }, body: { tags: [TAG, 'another'] } },
      [`${noun}.removeTag`]: { params: { uid, tag: DEVICE_TAG } },
    }
  }
  const samples: Record<string, SampleInput> = {
    ...deviceCalls('devices'),
    ...deviceCalls('containers'),
    'presence.ofDevice': { params: byUid },
    'health.ofDevice': { params: byUid },
    'incidents.get': { params: { id: ids.incident } },
    'incidents.devices': { params: { id: ids.incident } },
    'alerts.create': { body: { name: fresh('a'), condition: 'offline', minutes: 5, target: 'webhook', url } },
    'alerts.update': { params: { id: ids.alert }, body: { name: fresh('a') } },
    'alerts.remove': { params: { id: ids.alert } },
    'alerts.renewSecret': { params: { id: ids.alert } },
    'alerts.test': { params: { id: ids.alert } },
    'alerts.deliveries': { params: { id: ids.alert } },
    ...streamSamples(ids, url),
    ...accessSamples(ids, TAG, member),
    'snippets.create': { body: { name: fresh('s'), text: 'uptime' } },
    'snippets.update': { params: { id: ids.snippet }, body: { name: fresh('s') } },
    'snippets.remove': { params: { id: ids.snippet } },
    'views.create': { body: { name: fresh('v'), query: { tag: ['rack'] } } },
    'views.update': { params: { id: ids.view }, body: { name: fresh('v') } },
    'views.remove': { params: { id: ids.view } },
    'views.addFavorite': { params: byUid },
    'views.removeFavorite': { params: byUid },
    'deviceImports.create': { body: { devices: [importedDevice], dry_run: true } },
    'deviceJobs.create': { body: { action: 'tag', tags: ['another'] } },
    ...Object.fromEntries(JOB_CALLS.map((call) => [call, { params: job }])),
    'terminals.open': { params: byUid, body: { username: 'root' } },
    'sessions.join': { params: { uid: ids.session } },
    'terminals.openLegacy': { body: { device: ids.device, username: 'root', password: 'secret-12' } },
    'devices.acceptHostKey': { params: byUid, body: { fingerprint: `SHA256:${'A'.repeat(43)}` } },
    'devices.rename': { params: byUid, body: { name: fresh('d') } },
    'instance.setup': { query: { sign: 'wrong' }, body: person },
    'auth.login': { body: wrong },
    'auth.createSession': { body: wrong },
    'auth.switchNamespace': { params: byTenant },
    'auth.authenticateDevice': {
      body: {
        info: { id: 'a', pretty_name: 'a', version: 'a', arch: 'a', platform: 'native' },
        identity: { mac: '00:00:00:00:00:01' },
        public_key: 'none',
        tenant_id: '00000000-0000-4000-8000-000000000000',
      },
    },
    'pairings.start': {
      body: {
        info: { id: 'a', pretty_name: 'a', version: 'a', arch: 'a', platform: 'native' },
        identity: { mac: '00:00:00:00:00:01' },
        public_key: 'none',
        proof: { at: 0, signature: '' },
      },
    },
    'pairings.poll': { body: { device_code: 'unknown' } },
    'pairings.describe': { body: { code: 'BCDF-GHJK' } },
    'pairings.confirm': { body: { code: 'BCDF-GHJK', fingerprint: 'SHA256:unknown' } },
    'auth.signChallenge': { body: { fingerprint: ids.fingerprint, data: '{"Username":"a","Namespace":"a"}' } },
    'users.listActivity': { query: {} },
    'programs.start': { body: { name: 'a program' } },
    'programs.token': { body: { device_code: 'unknown' } },
    'programs.describe': { body: { user_code: 'BCDF-GHJK' } },
    'programs.decide': { body: { user_code: 'BCDF-GHJK', approve: false } },
    'heldLogins.get': { params: { code: 'BCDF-GHJK' } },
    'heldLogins.approve': { params: { code: 'BCDF-GHJK' } },
    'heldLogins.deny': { params: { code: 'BCDF-GHJK' } },
    'users.endSignIn': { params: { id: '00000000-0000-4000-8000-00000000000a' } },
    'users.listSignIns': { query: {} },
    'users.removeIdentity': { params: { id: noIdentity } },
    'users.listIdentitiesOf': { params: { user: caller } },
    'users.removeIdentityOf': { params: { user: caller, id: noIdentity } },
    'users.update': { body: {} },
    'users.updateData': { params: { id: caller }, body: {} },
    'users.updatePassword': {
      params: { id: caller },
      body: { current_password: 'wrong-password', new_password: 'secret-12' },
    },
    'users.setSecurity': { params: byTenant, body: { session_record: true } },
    'users.register': { body: { ...person, email_marketing: false } },
    'users.resendEmail': { body: { username: fresh('nobody') } },
    'users.recoverPassword': { body: { username: fresh('nobody') } },
    'users.resetPassword': { params: { uid: 'nobody' }, body: { password: 'secret-12', token: 'x' } },
    'users.validateAccount': { query: { email: person.email, token: 'x' } },
    'singleSignOn.exchange': { body: { token: 'x' } },
    'singleSignOn.link': { body: { token: 'x', password: 'secret-12' } },
    'singleSignOn.sendProof': { body: { token: 'x' } },
    'singleSignOn.linkByMail': { body: { token: 'x' } },
    'singleSignOn.update': { body: { provider_second_factor: false } },
    'singleSignOn.setProvider': { body: { email_attribute: 'mail' } },
    'singleSignOn.check': { body: { response: 'PHg+' } },
    'openid.start': { params: noProvider },
    'openid.signOut': { params: noProvider },
    'openid.add': {
      body: { name: fresh('idp'), issuer: 'https://idp.example.org', client_id: 'bowline', client_secret: 'secret-12' },
    },
    'openid.update': { params: noProvider, body: { name: fresh('idp') } },
    'openid.remove': { params: noProvider },
    'openid.test': { params: noProvider },
    'mfa.authenticate': { body: { token: 'x', code: '1' } },
    'mfa.finishSession': { body: { token: 'x', code: '1' } },
    'mfa.recover': { body: { identifier: fresh('nobody'), recovery_code: '1' } },
    'mfa.requestReset': { body: { identifier: fresh('nobody') } },
    'mfa.rename': { params: { id: '00000000-0000-4000-8000-000000000000' }, body: { name: 'Phone' } },
    'mfa.remove': { params: { id: '00000000-0000-4000-8000-000000000000' } },
    'mfa.prove': { body: { code: '1' } },
    'mfa.enable': { body: { code: '1', secret: 'x', recovery_codes: ['x'] } },
    'mfa.disable': { body: { code: '1' } },
    'mfa.reset': { params: { 'user-id': fresh('nobody') }, body: { main_email_code: '1', recovery_email_code: '1' } },
    'passkeys.signInOptions': { body: {} },
    'passkeys.login': { body: { credential: signed } },
    'passkeys.createSession': { body: { credential: signed } },
    'passkeys.registerOptions': { body: {} },
    'passkeys.register': {
      body: {
        name: 'laptop',
        credential: { ...signed, response: { clientDataJSON: 'e30', attestationObject: 'oA' } },
      },
    },
    'passkeys.rename': { params: passkey, body: { name: 'laptop' } },
    'passkeys.remove': { params: passkey },
    'passkeys.prove': { body: { credential: signed } },
    'passkeys.setPassword': { body: { password: 'secret-12' } },
    'namespaces.create': { body: { name: fresh('n') } },
    'namespaces.get': { params: byTenant },
    'namespaces.update': { params: byTenant, body: { settings: { session_record: false } } },
    'namespaces.remove': { params: byTenant },
    'namespaces.restore': { params: byTenant },
    'namespaces.export': { params: byTenant },
    'namespaces.download': { params: { link: 'unknown' } },
    'users.downloadExport': { params: { link: 'unknown' } },
    'namespaces.support': { params: byTenant },
    'members.add': { params: byTenant, body: newMember },
    'members.leave': { params: byTenant },
    'members.update': { params: member, body: { role: 'operator' } },
    'members.remove': { params: member },
    'members.invite': { params: byTenant, body: newMember },
    'members.listInvites': {},
    'members.acceptInvite': { params: byTenant, body: { sig: 'x' } },
    'members.inviteStatus': { params: { ...byTenant, id: tenant.pending }, query: { sig: 'x' } },
    'apiKeys.create': { body: { name: fresh('k'), expires_at: 30, role: 'observer' } },
    'apiKeys.update': { params: { key: 'key-observer' }, body: { name: fresh('k') } },
    'agentUpdates.setPolicy': { body: { mode: 'manual', canary_tag: null, window: null } },
    'agentUpdates.act': { params: { id: ids.rollout }, body: { action: 'resume' } },
    'installKeys.create': { body: { name: fresh('k') } },
    'installKeys.remove': { params: { install_key: byTenant.tenant } },
    'apiKeys.remove': { params: { key: 'key-observer' } },
    'scim.get': { params: byTenant },
    'scim.update': { params: byTenant, body: { default_role: 'operator' } },
    'scim.createToken': { params: byTenant, body: { name: fresh('idp') } },
    'scim.removeToken': { params: { ...byTenant, id: ids.scimToken } },
    'tunnels.list': { params: byUid },
    'tunnels.create': { params: byUid, body: { host: '127.0.0.1', port: 8080, ttl: 60 } },
    'tunnels.update': { params: { ...byUid, address: ids.tunnel }, body: { host_header: 'printer.local' } },
    'tunnels.requests': { params: { ...byUid, address: ids.tunnel } },
    'tunnels.visit': { params: { address: ids.tunnel }, body: { path: '/' } },
    'tunnels.remove': { params: { ...byUid, address: ids.tunnel } },
    'tags.rename': { params: { tag: DEVICE_TAG }, body: { tag: 'renamed' } },
    'tags.remove': { params: { tag: DEVICE_TAG } },
    'sessions.groups': { query: { by: 'device' } },
    'sessions.get': { params: { uid: ids.session } },
    'sessions.setAuthenticated': { params: { uid: ids.session }, body: { authenticated: true } },
    'sessions.close': { params: { uid: ids.session }, body: { device: ids.device } },
    'sessions.addRecord': { params: seat, body: { uid: ids.session, seat: 0, message: '$ ', width: 80, height: 24 } },
    'sessions.getRecord': { params: seat },
    'sessions.getRecordIndex': { params: seat },
    'sessions.getKeyframe': { params: seat },
    'sessions.getPreview': { params: seat },
    'sessions.records': { params: { uid: ids.session } },
    'recordings.search': { query: { q: 'uptime' } },
    'sessions.verifyRecord': { params: seat },
    'sessions.removeRecord': { params: seat },
    'publicKeys.create': {
      body: { data: freshKeyData(), name: 'laptop', username: 'root', filter: HOSTNAME_FILTER },
    },
    'publicKeys.findDevices': { body: { filter: HOSTNAME_FILTER } },
    'publicKeys.update': { params: key, body: { name: 'laptop', username: 'root', filter: HOSTNAME_FILTER } },
    'publicKeys.remove': { params: key },
    'publicKeys.addTag': { params: key, body: { tag: DEVICE_TAG } },
    'publicKeys.setTags': { params: key, body: { tags: [TAG] } },
    'publicKeys.removeTag': { params: { ...key, tag: TAG } },
    'firewall.create': { body: ruleBody },
    'firewall.evaluate': { body: { device: ids.device, username: 'root', address: '192.0.2.7' } },
    'firewall.tryChange': { body: { rule: ruleBody } },
    'firewall.setOrder': { body: { rules: [ids.rule] } },
    'firewall.get': { params: rule },
    'firewall.update': { params: rule, body: ruleBody },
    'firewall.remove': { params: rule },
    'firewall.addTag': { params: rule, body: { tag: DEVICE_TAG } },
    'firewall.setTags': { params: rule, body: { tags: [TAG] } },
    'firewall.removeTag': { params: rule, query: { tag: TAG }, body: {} },
    'connectors.create': { body: connectorBody },
    'connectors.get': { params: connector },
    'connectors.update': { params: connector, body: connectorBody },
    'connectors.remove': { params: connector },
    'connectors.info': { params: connector },
    'billing.attachPaymentMethod': { body: { id: 'x' } },
    'billing.detachPaymentMethod': { body: { id: 'x' } },
    'billing.setDefaultPaymentMethod': { body: { id: 'x' } },
    'billing.chooseDevices': { body: { choices: [ids.device] } },
    'billing.webhook': { body: { id: 'evt_1', type: 'invoice.paid' } },
    'billing.report': { query: { action: 'device_accept' } },
    'internal.markOffline': { params: byUid },
    'internal.lookup': { query: { domain: 'x', name: 'x' } },
    'administration.createPerson': { body: person },
    'administration.getPerson': { params: { user: caller } },
    'administration.listActivity': { params: { user: caller } },
    'administration.listSignIns': { params: { user: caller } },
    'administration.endSignIns': { params: { user: fresh('nobody') } },
    'administration.disablePerson': { params: { user: fresh('nobody') } },
    'administration.enablePerson': { params: { user: fresh('nobody') } },
    'administration.setAdministrator': { params: { user: fresh('nobody') }, body: { administrator: false } },
    'administration.setMaxNamespaces': { params: { user: fresh('nobody') }, body: { max_namespaces: 3 } },
    'administration.getNamespace': { params: { namespace: tenant.id } },
    'administration.disableNamespace': { params: { namespace: noProvider.id } },
    'administration.enableNamespace': { params: { namespace: noProvider.id } },
    'administration.restoreNamespace': { params: { namespace: noProvider.id } },
    'administration.setLimits': { params: { namespace: tenant.id }, body: { tunnels: 100 } },
    'administration.handOver': { params: { namespace: tenant.id }, body: { user: 'nobody' } },
    'administration.setDefaults': { body: { tunnels: 1_000 } },
    'mails.link': { params: { id: '00000000-0000-4000-8000-000000000000' } },
    'mails.resend': { params: { id: '00000000-0000-4000-8000-000000000000' } },
    'mails.test': { body: { to: 'ada@example.com' } },
    'announcements.markRead': { params: { uuid: '00000000-0000-4000-8000-000000000000' } },
    'announcements.create': { body: { title: 'Maintenance', content: '# Saturday', ends_at: '2030-01-01T00:00:00Z' } },
    'announcements.update': { params: { uuid: noProvider.id }, body: { title: 'Maintenance' } },
    'announcements.remove': { params: { uuid: noProvider.id } },
    'announcements.get': { params: { uuid: noProvider.id } },
  }
  return samples[id] ?? {}
}
