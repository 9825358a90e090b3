import { existsSync } from 'node:fs'
import { type ServiceManager, succeeds, tool, WRITTEN } from './manager.ts'
import { LAUNCHER, RUNTIME_NAME, SERVICE, SETTINGS_FILE } from './places.ts'

const LOG = `/var/log/${SERVICE}.log`

/** `supervise-daemon` restarts the agent when it ends, and signals only the agent itself: see `systemd.ts`. */
const TEXT = `#!/sbin/openrc-run
# ${WRITTEN}.
name="Bowline agent"
description="SSH to this device through a Bowline server"
supervisor=supervise-daemon
command=${LAUNCHER}
respawn_delay=2
respawn_max=0
output_log=${LOG}
error_log=${LOG}

depend() {
	want net
	use dns logger
	after bootmisc
}

start_pre() {
	checkpath --directory --mode 0755 /run/${RUNTIME_NAME}
	checkpath --file --mode 0600 ${LOG}
	set -a
	. ${SETTINGS_FILE}
	set +a
	export RUNTIME_DIRECTORY=/run/${RUNTIME_NAME} MALLOC_ARENA_MAX=2
}
`

export const openrc: ServiceManager = {
  name: 'OpenRC',
  isHere: () => existsSync('/run/openrc/softlevel') && existsSync('/sbin/openrc-run'),
  file: `/etc/init.d/${SERVICE}`,
  isPackaged: false,
  text: TEXT,
  mode: 0o755,
  reload: () => {},
  enable: () => tool('rc-update', '--quiet', 'add', SERVICE, 'default'),
  restart: () => tool('rc-service', '--quiet', SERVICE, 'restart'),
  isRunning: () => succeeds('rc-service', '--quiet', SERVICE, 'status'),
  disable() {
    if (openrc.isRunning()) tool('rc-service', '--quiet', SERVICE, 'stop')
    // Fails for one that was never added.
    succeeds('rc-update', '--quiet', 'delete', SERVICE, 'default')
  },
  logCommand: `tail ${LOG}`,
}
