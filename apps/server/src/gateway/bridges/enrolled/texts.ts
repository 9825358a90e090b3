// Texts for the ssh client of a device without an agent.
import type { DeviceStatus } from '@bowline/contract/schemas/device'
import type { UserAuthority } from '@bowline/contract/schemas/fleet/user-authority'
import { fromBowline } from '../../record/texts.ts'
import { type NamedAddress, connectCommand, serviceSnippets } from './snippets.ts'

interface ChangedHostKey {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly status: DeviceStatus
  readonly before: string
  readonly after: string
  readonly console: string | undefined
}

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
    'its SSH server does not take registered keys of this namespace. OpenSSH needs TrustedUserCAKeys in its sshd_config, ' +
    'Dropbear a line in authorized_keys: the page of the device in the console has both. And it needs an account of this name.',
  /** @param reason a sentence */
  noServer: (reason: string): string =>
    `${fromBowline('no SSH server was reached through the forwarded port.')}\n${reason}\n` +
    'Check that sshd runs on this device, and on which port: -R 0:localhost:22 is for port 22.\n',
  /**
   * Fits into the message of a disconnect, of which clients show some hundred characters.
   * @param changed `before`, `after`: fingerprints with the types of the keys; `console`: origin, for a link
   */
  hostKeyChanged: ({ uid, name, namespace, status, before, after, console }: ChangedHostKey): string =>
    `${fromBowline('the host key of this device has changed; the connection is refused.')}\n` +
    `It was ${before},\nit is  ${after}.\n` +
    (console === undefined
      ? 'If that is right, accept it in the console, or on the server by\n' +
        `  bowline device accept-host-key ${namespace} ${status === 'accepted' ? name : uid} FINGERPRINT\n`
      : `If that is right, accept it at ${console}/devices/${uid}\n`),
} as const

/** What happened, for the person at the device's terminal. */
export function enrolledText(device: {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly status: DeviceStatus
  readonly hostKey: string
  readonly isNew: boolean
  readonly authority: UserAuthority
  /** Of this server. */
  readonly address: NamedAddress
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

/** The address may be one that only this connection can use: of a proxy, or of a container. */
function unnamed({ host }: NamedAddress): string[] {
  return [
    `This server has not been told its name: BOWLINE_DOMAIN is not set. ${host} is the address that this connection has`,
    'reached; write another one where the device does not reach the server by that.',
  ]
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
    ...authority.openssh.commands.map((command) => `  ${command}`),
    '',
    'Dropbear has a key of this server for an account instead; the file is that of root on OpenWrt:',
    '',
    ...authority.dropbear.commands.map((command) => `  ${command}`),
    '',
    'The page of the device in the console shows these lines, too.',
    '',
    'This connection lasts as long as this program. The device connects again without the install key by',
    '',
    `  ${connectCommand(uid, address)}`,
    '',
    'with its own key; -i names the file of it. Where its SSH server has another port than 22, write that one after',
    'localhost: here and below. One of these keeps it up:',
    ...(address.isSet ? [] : ['', ...unnamed(address)]),
    ...serviceSnippets(uid, address).flatMap(([title, text]) => ['', `# ${title}`, text]),
    '',
    '',
  ]
}
