// `status`: whether the agent is installed, running and linked. Reads no secret; any user may run it.
import { existsSync } from 'node:fs'
import { managedBy, ownPackage } from '../own-package.ts'
import { serviceManager } from './install.ts'
import { waitingVersion } from './packaged.ts'
import { readStatus } from './status-file.ts'
import { currentVersion } from './versions.ts'

export interface ServiceStatus {
  /** Folder name of the installed version, `bowline-agent-<version>-<build>`. */
  readonly installed: string | null
  readonly manager: 'systemd' | 'OpenRC' | null
  readonly running: boolean
  /** Linked to the server. */
  readonly online: boolean
  /** Version of the running agent. */
  readonly version: string | null
  readonly pid: number | null
  readonly server: string | null
  readonly sshid: string | null
  /** In no namespace yet: the log shows a code. */
  readonly pairing: boolean
  /** Package of this program; null: it was installed otherwise. */
  readonly package: string | null
  /** The version that the package has brought and that does not run yet. */
  readonly waiting: string | null
}

export function serviceStatus(): ServiceStatus {
  const manager = serviceManager()
  const service = manager && existsSync(manager.file) ? manager : undefined
  const running = service?.isRunning() ?? false
  const told = running ? readStatus() : undefined
  return {
    installed: currentVersion() ?? null,
    manager: service?.name ?? null,
    running,
    online: told?.linked ?? false,
    version: told?.version ?? null,
    pid: told?.pid ?? null,
    server: told?.server ?? null,
    sshid: told?.sshid ?? null,
    pairing: told?.pairing ?? false,
    package: ownPackage()?.package ?? null,
    waiting: waitingVersion() ?? null,
  }
}

/** 0 online, 1 running but not linked, 3 not running, 4 not installed (3 and 4 as LSB init scripts have them). */
export function exitCodeOf(status: ServiceStatus): number {
  if (status.manager === null || status.installed === null) return 4
  if (!status.running) return 3
  return status.online ? 0 : 1
}

export function describeStatus(status: ServiceStatus): string {
  const { installed, manager, running, online, version, pid, server, sshid, pairing, waiting } = status
  const own = ownPackage()
  if (manager === null || installed === null) return 'The agent is not installed as a service.\n'
  const lines = [
    ['installed', `${installed} (${manager})`],
    ['running', running ? `yes${pid === null ? '' : `, version ${version}, pid ${pid}`}` : 'no'],
    ['online', online ? `yes, ${server}` : 'no'],
    ...(sshid === null ? [] : [['sshid', sshid]]),
    ...(own === undefined ? [] : [['updates', managedBy(own)]]),
    ...(waiting === null ? [] : [['waiting', `${waiting}, until the running agent hands over`]]),
    ...(pairing ? [['pairing', 'in no namespace yet; the log shows the code']] : []),
  ]
  return lines.map(([name = '', value = '']) => `${name.padEnd(11)}${value}\n`).join('')
}
