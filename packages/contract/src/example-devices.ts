// Example values about devices, for the OpenAPI document.

const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPGeABjHq2b2NgnBs2743UTdWcocUDXU8XOsWZOlfxmJ'
const FINGERPRINT = 'SHA256:F0Z9fL3kqPpYvX2tE7mNw1bRcHs5uJdA8oGxT4yKiQe'

/** Keyed as the words of `example-words.ts`. */
export const DEVICE_WORDS: Readonly<Record<string, unknown>> = {
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
