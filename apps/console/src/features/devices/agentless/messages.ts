// Texts about devices without an agent.
import { i18n } from '../../../platform/language/i18n.ts'

export const agentlessMessages = {
  fact: i18n._('SSH host key'),
  what: i18n._('the host key fingerprint'),
  title: i18n._('The SSH host key has changed'),
  text: i18n._('Connections of the device are refused and no password is sent to it. The other key was first seen'),
  keys: i18n._('Host keys'),
  acceptedKey: i18n._('Accepted key'),
  presentedKey: i18n._('Presented key'),
  presentedWhat: i18n._('the presented fingerprint'),
  open: i18n._('Accept new key …'),
  accept: i18n._('Accept key'),
  roleTooLow: i18n._(
    'Accepting another host key requires permission to remove devices, which your role does not have.',
  ),
  confirm: (name: string) => i18n._('Accept the new host key of {name}?', { name }),
  confirmText: i18n._('From now on, this host key is trusted and the previous one is refused.'),
  warning: i18n._(
    'Compare the key with the output of ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub on the device itself. An unexplained key may mean that another machine is impersonating the device to collect passwords.',
  ),
  done: (name: string) =>
    i18n._('{name} has a new host key. The device is back as soon as it connects again.', { name }),
  failed: (name: string) => i18n._('The host key of {name} was not accepted', { name }),
  authorityTitle: i18n._('Registered keys on devices without an agent'),
  authorityText: i18n._(
    'People sign in with the passwords of the device. To let people in with their registered keys, its SSH server must trust this namespace.',
  ),
  opensshText: i18n._(
    'OpenSSH: run this as root, then reload sshd. It covers every account that sshd allows a key for.',
  ),
  dropbearText: i18n._(
    'Dropbear has no certificates: add this key to the account. The file is that of root on OpenWrt, elsewhere it is ~/.ssh/authorized_keys.',
  ),
  opensshWhat: i18n._('the lines for OpenSSH'),
  dropbearWhat: i18n._('the line for Dropbear'),
  authorityFailed: i18n._('The keys of this namespace could not be loaded'),
  toDocs: i18n._('Devices without an agent'),
} as const
