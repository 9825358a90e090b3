// What keeps the connection of a device without an agent up, by the service manager that the device has. It names the
// device by its uid: the install key need not stay on it.

/** Where the device's ssh client connects to. */
export interface SshAddress {
  readonly host: string
  readonly port: number
}

/** An address, and whether the settings name it: otherwise it is what a connection has reached. */
export interface NamedAddress extends SshAddress {
  readonly isSet: boolean
}

/** The private key that such a service uses; it runs as root. */
const KEY = '/root/.ssh/id_ed25519'
/** The account SYSTEM has never been asked whether it trusts this server. */
const WINDOWS_KEY = 'C:\\ProgramData\\ssh\\bowline_ed25519'
const ALIVE = '-o ServerAliveInterval=30 -o ServerAliveCountMax=3'

/** The command that connects a device again, and ends when the connection is lost. */
export function connectCommand(uid: string, { host, port }: SshAddress, key = KEY): string {
  const options = `-NT ${ALIVE} -o ExitOnForwardFailure=yes -o BatchMode=yes`
  return `ssh ${options} -i ${key} -p ${port} -R 0:localhost:22 ${uid}@${host}`
}

/** Service of each manager: its title, and a file or a command, as the shell of the device takes it. */
export function serviceSnippets(uid: string, address: SshAddress): readonly (readonly [title: string, text: string])[] {
  const command = connectCommand(uid, address)
  const args = command.split(' ')
  return [
    [
      'systemd: /etc/systemd/system/bowline-ssh.service, then systemctl enable --now bowline-ssh',
      `[Unit]
Description=Connection to Bowline
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=/usr/bin/${command}
Restart=always
RestartSec=10

[Install]
WantedBy=multi-user.target`,
    ],
    [
      'OpenRC: /etc/init.d/bowline-ssh, executable, then rc-update add bowline-ssh && rc-service bowline-ssh start',
      `#!/sbin/openrc-run
supervisor=supervise-daemon
respawn_delay=10
respawn_max=0
command=/usr/bin/ssh
command_args="${args.slice(1).join(' ')}"
depend() { need net; }`,
    ],
    [
      'procd (OpenWrt, with the package openssh-client): /etc/init.d/bowline-ssh, executable, then enable and start it',
      `#!/bin/sh /etc/rc.common
START=99
USE_PROCD=1
start_service() {
  procd_open_instance
  procd_set_param command /usr/bin/${command}
  procd_set_param respawn 0 10 0
  procd_close_instance
}`,
    ],
    [
      'launchd (macOS): /Library/LaunchDaemons/bowline-ssh.plist, then launchctl load -w on it',
      `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
  <key>Label</key><string>bowline-ssh</string>
  <key>ProgramArguments</key><array>
${['/usr/bin/ssh', ...args.slice(1)].map((word) => `    <string>${word.replace(/^\/root\//, '/var/root/')}</string>`).join('\n')}
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
</dict></plist>`,
    ],
    [
      'Task Scheduler (Windows, as administrator): it starts with the machine, and again each minute when it has ended',
      `schtasks /Create /TN bowline-ssh /RU SYSTEM /SC MINUTE /MO 1 /TR ` +
        `"C:\\Windows\\System32\\OpenSSH\\${connectCommand(uid, address, WINDOWS_KEY)} -o StrictHostKeyChecking=accept-new"`,
    ],
  ]
}
