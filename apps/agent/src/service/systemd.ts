import { existsSync } from 'node:fs'
import type { ServiceManager } from './manager.ts'
import { succeeds, tool, WRITTEN } from './manager.ts'
import { ownPackage } from '../own-package.ts'
import { launcherIn, PROGRAMS, RUNTIME_NAME, SERVICE, SETTINGS_FILE } from './places.ts'

const UNIT = `${SERVICE}.service`
/** Units of administrators and of packages (systemd.unit(5)). */
export const WRITTEN_UNIT = `/etc/systemd/system/${UNIT}`
export const PACKAGED_UNIT = `/lib/systemd/system/${UNIT}`

/**
 * Users' logins are children of the agent and inherit its restrictions: a read-only file system, a private /tmp or
 * `NoNewPrivileges` would affect their shells and break sudo, so there are none. Background processes (tmux, jobs)
 * survive the agent's restart and upgrade, as with sshd: `KillMode=process`.
 * @param programs folder of versions
 * @param origin whose file it is
 */
export function unitText(programs: string, origin: string): string {
  return `# ${origin}; changes belong into a drop-in (systemctl edit ${SERVICE}).
[Unit]
Description=Bowline agent (SSH to this device through a Bowline server)
Wants=network-online.target
After=network-online.target nss-user-lookup.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${launcherIn(programs)}
EnvironmentFile=${SETTINGS_FILE}
# Fewer arenas of the C library: less memory, and only short work runs on other threads.
Environment=MALLOC_ARENA_MAX=2
RuntimeDirectory=${RUNTIME_NAME}
Restart=always
RestartSec=2
# Wrong settings stay wrong.
RestartPreventExitStatus=2
KillMode=process
TimeoutStopSec=15
# A person's process that runs out of memory is not the end of everybody's sessions.
OOMPolicy=continue
TasksMax=infinity

[Install]
WantedBy=multi-user.target
`
}

const isPackaged = ownPackage() !== undefined

export const systemd: ServiceManager = {
  name: 'systemd',
  // sd_booted(3)
  isHere: () => existsSync('/run/systemd/system'),
  file: isPackaged ? PACKAGED_UNIT : WRITTEN_UNIT,
  isPackaged,
  text: unitText(PROGRAMS, WRITTEN),
  mode: 0o644,
  reload: () => tool('systemctl', 'daemon-reload'),
  enable: () => tool('systemctl', 'enable', '--quiet', UNIT),
  restart: () => tool('systemctl', 'restart', UNIT),
  isRunning: () => succeeds('systemctl', 'is-active', '--quiet', UNIT),
  disable: () => tool('systemctl', 'disable', '--now', '--quiet', UNIT),
  logCommand: `journalctl -u ${SERVICE}`,
}
