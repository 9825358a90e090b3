// Texts about devices without an agent.
export const agentlessMessages = {
  fact: 'SSH host key',
  what: 'the host key fingerprint',
  title: 'The SSH host key has changed',
  text: 'Connections of the device are refused and no password is sent to it. The other key was first seen',
  keys: 'Host keys',
  acceptedKey: 'Accepted key',
  presentedKey: 'Presented key',
  presentedWhat: 'the presented fingerprint',
  open: 'Accept new key …',
  accept: 'Accept key',
  roleTooLow: 'Accepting another host key takes the right to remove devices, which your role does not have.',
  confirm: (name: string) => `Accept the new host key of ${name}?`,
  confirmText: 'People sign in to the machine with this key from now on. The previous key is refused.',
  warning:
    'Compare the key with the output of ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub on the device itself. A key that you cannot explain may be another machine that collects passwords.',
  done: (name: string) => `${name} has a new host key. The device is back as soon as it connects again.`,
  failed: (name: string) => `The host key of ${name} was not accepted`,
  authorityTitle: 'Registered keys on devices without an agent',
  authorityText:
    'People sign in with the passwords of the device. To let their registered keys in, its SSH server has to trust this namespace.',
  opensshText: 'OpenSSH: run this as root, then reload sshd. It covers every account that sshd allows a key for.',
  dropbearText:
    'Dropbear has no certificates: add this key to the account. The file is that of root on OpenWrt, elsewhere it is ~/.ssh/authorized_keys.',
  opensshWhat: 'the lines for OpenSSH',
  dropbearWhat: 'the line for Dropbear',
  authorityFailed: 'The keys of this namespace could not be loaded',
  toDocs: 'Devices without an agent',
} as const
