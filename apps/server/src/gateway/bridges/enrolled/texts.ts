// Texts for the ssh client of a device without an agent.
import type { DeviceStatus } from '@bowline/contract/schemas/device'
import { fromBowline } from '../../record/texts.ts'
import { type SshAddress, connectCommand, serviceSnippets } from './snippets.ts'

export const ENROLLED_TEXTS = {
  keyNeeded: fromBowline(
    'this name enrols a device without an agent. It needs an SSH key of its own; ssh-keygen -t ed25519 makes one.',
  ),
  plainKeyNeeded: fromBowline('this key cannot identify a device: it must be a plain key, not on a security key.'),
  noForward: fromBowline('nothing was forwarded. Add -R 0:localhost:22 to the command.'),
  oneForward: 'This connection has a forwarded port already.',
  notThePort: 'Only a TCP port can be forwarded here.',
  noProgram: 'nothing runs here',
  replaced: fromBowline('another connection of this device has replaced this one.'),
  left: 'The client has left.',
  /** Follows the words "The device … said:". */
  notTrusted:
    'its SSH server does not take the certificates of this namespace. It needs TrustedUserCAKeys in its sshd_config, ' +
    'as the documentation of devices without an agent says, and an account of this name.',
  /** @param reason a sentence */
  noServer: (reason: string): string =>
    `${fromBowline('no SSH server was reached through the forwarded port.')}\n${reason}\n` +
    'Check that sshd runs on this device, and on which port: -R 0:localhost:22 is for port 22.\n',
  hostKeyChanged: (before: string, after: string): string =>
    `${fromBowline('the host key of this device has changed. The connection is refused.')}\n` +
    `It was ${before},\nit is  ${after}.\n` +
    'If that is right, remove the device in the console and enrol it again.\n',
} as const

/** What happened, for the person at the device's terminal. */
export function enrolledText(device: {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly status: DeviceStatus
  readonly hostKey: string
  readonly isNew: boolean
  /** Public key of the namespace's certificate authority, as a line. */
  readonly authority: string
  /** Of this server. */
  readonly address: SshAddress
}): string {
  const { name, namespace, status, hostKey, isNew } = device
  return [
    fromBowline(`this device is ${isNew ? 'enrolled' : 'connected'} as ${name} in ${namespace}.`),
    status === 'accepted'
      ? `It is accepted: people reach it as USER@${namespace}.${name}`
      : `It is ${status}: nobody can reach it before it is accepted in the console.`,
    `Host key of its SSH server: ${hostKey}`,
    '',
    ...whatIsNext(device),
  ].join('\n')
}

/** What a person does once: let keys in, and keep the connection up. */
function whatIsNext({
  uid,
  authority,
  address,
}: Pick<Parameters<typeof enrolledText>[0], 'uid' | 'authority' | 'address'>): string[] {
  return [
    'People get in by the passwords of the device. For their registered keys, let its OpenSSH server trust this',
    'namespace (as root, then reload sshd):',
    '',
    `  echo '${authority}' > /etc/ssh/bowline_users.pub`,
    "  echo 'TrustedUserCAKeys /etc/ssh/bowline_users.pub' >> /etc/ssh/sshd_config",
    '',
    'This connection lasts as long as this program. The device connects again without the install key by',
    '',
    `  ${connectCommand(uid, address)}`,
    '',
    'with its own key; -i names the file of it. One of these keeps it up:',
    ...serviceSnippets(uid, address).flatMap(([title, text]) => ['', `# ${title}`, text]),
    '',
    '',
  ]
}
