// Example values about devices, for the OpenAPI document.

const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPGeABjHq2b2NgnBs2743UTdWcocUDXU8XOsWZOlfxmJ'
const FINGERPRINT = 'SHA256:F0Z9fL3kqPpYvX2tE7mNw1bRcHs5uJdA8oGxT4yKiQe'

const SNIPPET = { name: 'Restart the kiosk', text: 'systemctl restart kiosk', tags: ['kiosk'] }
const AUTHOR = { id: '507f1f77bcf86cd799439011', name: 'ada' }

const ACCESS = { accounts: ['root'], minutes: 60, reason: 'The disk of the kiosk is full, ticket 4711' }

const ALERT_RULE = {
  name: 'Kiosks offline',
  condition: 'offline',
  minutes: 5,
  devices: null,
  threshold: null,
  tags: ['kiosk'],
  filter: '',
  target: 'webhook',
  recipients: [],
}

const KNOWN_RULE = {
  ...ALERT_RULE,
  id: '3f6c1f9e-0d5b-4c8a-9b1e-2a7d4e6f8c01',
  active: true,
  host: 'hooks.example.com',
  disabled_reason: null,
  failing_since: null,
  fired_at: '2026-01-15T09:35:30Z',
  created_at: '2026-01-15T09:30:00Z',
}

/** Keyed as the words of `example-words.ts`. */
export const DEVICE_WORDS: Readonly<Record<string, unknown>> = {
  latitude: 52.52,
  longitude: 13.4,
  'NamespacePresence.bucket_seconds': 900,
  'NamespacePresence.devices': 12,
  'NamespacePresence.buckets': [{ at: '2026-01-31T12:00:00Z', online: 9.5, lowest: 9 }],
  'DevicePresence.online_seconds': 82_800,
  'DevicePresence.share': 0.958,
  'DevicePresence.spans': [
    { from: '2026-01-30T12:00:00Z', to: '2026-01-31T08:00:00Z', breaks: 0, cause: 'network:keepalive' },
    { from: '2026-01-31T09:00:00Z', to: null, breaks: 2, cause: '' },
  ],
  'Namespace.access_request_hours': 8,
  'Stats.pending_access_requests': 1,
  AccessRequestBody: { ...ACCESS, tag: 'kiosk' },
  AccessApproval: { minutes: 30 },
  AccessDenial: { note: 'Ask the team of the kiosks.' },
  AccessRequest: {
    ...ACCESS,
    id: '5b0f8a52-3c1e-4d7a-8f60-1d2e3f4a5b6c',
    state: 'active',
    requester: { id: '507f1f77bcf86cd799439012', name: 'bob' },
    device: null,
    tag: 'kiosk',
    created_at: '2026-01-15T09:30:00Z',
    pending_until: '2026-01-16T09:30:00Z',
    decided_at: '2026-01-15T09:35:30Z',
    decided_by: AUTHOR,
    note: '',
    expires_at: '2026-01-15T10:35:30Z',
    ended_at: null,
    ended_by: null,
  },
  SnippetBody: SNIPPET,
  SnippetChange: { text: 'systemctl restart --no-block kiosk' },
  SharedSnippet: {
    ...SNIPPET,
    id: '3f6c1f9e-0d5b-4c8a-9b1e-2a7d4e6f8c01',
    created_at: '2026-01-15T09:30:00Z',
    created_by: AUTHOR,
    changed_at: '2026-01-15T09:35:30Z',
    changed_by: AUTHOR,
  },
  AlertRule: KNOWN_RULE,
  AlertRuleBody: { ...ALERT_RULE, url: 'https://hooks.example.com/bowline' },
  NewAlertRule: { ...KNOWN_RULE, secret: 'whs-3q2-7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxg' },
  AlertSecret: { secret: 'whs-3q2-7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxg' },
  AlertRuleChange: { active: false },
  'AlertDelivery.text': 'kiosk-1 has been offline for 5 minutes.',
  'AlertDelivery.answer': 'It answered 200.',
  'AlertDelivery.state': 'sent',
  'AlertDelivery.test': false,
  'AlertDelivery.attempts': 1,
  'AlertDelivery.due_at': null,
  Incident: {
    id: '4711',
    kind: 'network',
    network: '203.0.113.0/24',
    cause: 'network:keepalive',
    started_at: '2026-01-15T09:30:00Z',
    last_at: '2026-01-15T09:30:04Z',
    ended_at: null,
    devices: 640,
    away: 43,
    examples: ['kiosk-1', 'kiosk-2', 'kiosk-3'],
  },
  'IncidentDevice.name': 'kiosk-1',
  'IncidentDevice.cause': 'network:keepalive',
  'incidents.id': '4711',
  'Device.id': 'debian',
  'Device.name': 'raspberrypi',
  'devices.name': 'raspberrypi',
  'Device.public_key':
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA8Z4AGMerZvY2CcGzbvjdRN1ZyhxQNdTxc6xZk6V/GYk=\n-----END PUBLIC KEY-----\n',
  'devices.fingerprint': FINGERPRINT,
  'DeviceHostKey.type': 'ssh-ed25519',
  'DeviceHostKey.fingerprint': FINGERPRINT,
  'UserAuthority.public_key': `${SSH_KEY} bowline-lab`,
  'UserAuthority.fingerprint': FINGERPRINT,
  'UserAuthority.file': '/etc/ssh/bowline_users.pub',
  'UserAuthority.sshd_config': 'TrustedUserCAKeys /etc/ssh/bowline_users.pub',
  'UserAuthority.commands': [`echo '${SSH_KEY} bowline-lab' > /etc/ssh/bowline_users.pub`],
}
