// Sample devices and sessions of the fake server: realistic, deterministic, validated by the contract.
import { createHash } from 'node:crypto'
import { NEVER, DeviceUid, SessionUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Device, DeviceStatus } from '@bowline/contract/schemas/device'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import type { Session } from '@bowline/contract/schemas/session'

export const TENANT = TenantId.parse('3f2b8c1a-6d4e-4f70-9a55-0c1d2e3f4a5b')
export const NAMESPACE = 'acme'
export const OWNER = UserId.parse('6543210fedcba98765432100')

const hex64 = (seed: string) => createHash('sha256').update(seed).digest('hex')
const ago = (now: number, seconds: number) => new Date(now - seconds * 1000).toISOString()

const SYSTEMS = [
  { id: 'debian', pretty_name: 'Debian GNU/Linux 12 (bookworm)', arch: 'x86_64' },
  { id: 'ubuntu', pretty_name: 'Ubuntu 24.04.1 LTS', arch: 'x86_64' },
  { id: 'raspbian', pretty_name: 'Raspbian GNU/Linux 12 (bookworm)', arch: 'aarch64' },
  { id: 'alpine', pretty_name: 'Alpine Linux v3.22', arch: 'aarch64' },
  { id: 'fedora', pretty_name: 'Fedora Linux 43 (Server Edition)', arch: 'x86_64' },
] as const

/**
 * Creates a device.
 * @param index varies everything that must differ between two devices
 * @param now milliseconds since the epoch
 */
export function makeDevice(index: number, now: number, overrides: Partial<Device> = {}): Device {
  const system = SYSTEMS[index % SYSTEMS.length] ?? SYSTEMS[0]
  const status: DeviceStatus = overrides.status ?? 'accepted'
  const online = overrides.online ?? (status === 'accepted' && index % 4 !== 3)
  const changed = ago(now, 3_600 * (index + 2))
  return {
    uid: DeviceUid.parse(hex64(`device ${index}`)),
    name: `edge-${String(index + 1).padStart(2, '0')}`,
    identity: { mac: `02:42:ac:11:${hexByte(index >> 8)}:${hexByte(index)}` },
    info: { ...system, version: '0.1.0', platform: 'native' },
    public_key: PUBLIC_KEY,
    tenant_id: TENANT,
    last_seen: online ? ago(now, 5) : ago(now, 900 * (index + 1)),
    online,
    namespace: NAMESPACE,
    status,
    status_updated_at: changed,
    status_update_at: changed,
    created_at: ago(now, 86_400 + 3_600 * index),
    remote_addr: `198.51.100.${(index % 250) + 1}`,
    position: { latitude: 0, longitude: 0 },
    tags: [],
    public_url: false,
    note: '',
    fields: {},
    acceptable: true,
    ...overrides,
  }
}

/** Creates a session on a device; open unless `overrides.closed` is given. */
export function makeSession(index: number, now: number, device: Device, overrides: Partial<Session> = {}): Session {
  return {
    uid: SessionUid.parse(hex64(`session ${index}`)),
    device_uid: device.uid,
    device,
    tenant_id: device.tenant_id,
    username: 'root',
    ip_address: `203.0.113.${(index % 250) + 1}`,
    started_at: ago(now, 600 * index + 90),
    last_seen: ago(now, 600 * index),
    active: overrides.closed === undefined || overrides.closed === null,
    authenticated: true,
    recorded: false,
    type: 'term',
    person: { id: OWNER, name: 'ada@example.com' },
    method: 'publickey',
    second_factor: null,
    key: { name: 'ada laptop', fingerprint: 'SHA256:Lq8jbmVsbG8gd29ybGQgYmFzZTY0IHRleHQgaGVyZQ' },
    command: '',
    term: 'xterm-256color',
    position: { latitude: 0, longitude: 0 },
    events: { types: ['shell'], seats: [0] },
    closed: null,
    ...overrides,
  }
}

export function makeNamespace(): Namespace {
  return {
    name: NAMESPACE,
    owner: OWNER,
    tenant_id: TENANT,
    members: [
      {
        id: OWNER,
        added_at: '2026-01-12T08:00:00Z',
        expires_at: NEVER,
        email: 'ada@example.com',
        role: 'owner',
        status: 'accepted',
        provisioned: false,
      },
    ],
    settings: {
      session_record: true,
      connection_announcement: '',
      end_disallowed_sessions: true,
      forwarding: true,
      forwarding_unrecorded: false,
      joining: true,
      access_requests: true,
      access_request_hours: 8,
      recording_policy: 'best-effort',
      recording_retention_days: 0,
      ssh_second_factor: false,
      ssh_second_factor_hours: 12,
      ssh_second_factor_service_keys: false,
    },
    max_devices: -1,
    devices_count: 0,
    device_count: 0,
    created_at: '2026-01-12T08:00:00Z',
    billing: null,
    type: 'personal',
    disabled: false,
  }
}

const hexByte = (value: number) => (value & 0xff).toString(16).padStart(2, '0')

/** An Ed25519 public key (SubjectPublicKeyInfo, RFC 8410). */
export const PUBLIC_KEY = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
`
