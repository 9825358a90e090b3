// The agent of a package. `package-installed` is what the package's scripts call when its files are there: the version
// waits as `next` until the running agent hands over to it, or the service starts.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { ownPackage, packageIn } from '../own-package.ts'
import { ServiceError, tool, WRITTEN } from './manager.ts'
import { COPIED_PROGRAMS, NEXT, PACKAGE_FOLDER, PACKAGED_COMMAND, PREVIOUS, PROGRAMS, SERVICE } from './places.ts'
import { readStatus } from './status-file.ts'
import { WRITTEN_UNIT } from './systemd.ts'
import { currentVersion, linkTarget, linkVersion, point, removeOtherVersions, removeVersions } from './versions.ts'

/**
 * Brings the package's version among the versions and asks a running agent to hand over to it.
 * @param say prints one line for the user
 * @throws {ServiceError | Error} when this program is of no package
 */
export function packageInstalled(say: (line: string) => void): void {
  const own = ownPackage()
  if (own === undefined) throw new ServiceError('This agent is of no package.')
  linkVersion(PACKAGE_FOLDER, own.program)
  if (currentVersion() === own.program) rmSync(NEXT, { force: true })
  else point(NEXT, own.program)
  removeOtherVersions([linkTarget(NEXT), linkTarget(PREVIOUS)])
  if (existsSync(WRITTEN_UNIT)) {
    say(`The agent in ${COPIED_PROGRAMS} goes on. \`${PACKAGED_COMMAND} agent install\` replaces it by this package's.`)
  }
  const status = readStatus()
  if (status === undefined || waitingVersion() === undefined) return
  if (!linkTarget(`/proc/${status.pid}/exe`)?.startsWith(`${PROGRAMS}/`)) return
  process.kill(status.pid, 'SIGUSR2')
  say(
    `The running agent hands over to ${own.program} while its sessions go on, or when it has none; its log says when.`,
  )
}

/** Folder name of the version that the package has brought and that does not run yet; undefined: there is none. */
export function waitingVersion(): string | undefined {
  return ownPackage() === undefined ? undefined : linkTarget(NEXT)
}

/** @throws {ServiceError} when a package has brought an agent: two would be one device */
export function refuseBesidePackage(): void {
  const found = packageIn(PACKAGE_FOLDER)
  if (found === undefined) return
  throw new ServiceError(
    `This machine has the package ${found.package}: \`${PACKAGED_COMMAND} agent install\` makes its agent a service, ` +
      `${found.manager} upgrades it.`,
  )
}

/**
 * Removes an agent that `bowline agent install` has copied here before, so that the package's takes its place. Key and
 * settings stay: it is the same device.
 */
export function replaceCopied(): void {
  if (existsSync(WRITTEN_UNIT) && readFileSync(WRITTEN_UNIT, 'utf8').startsWith(`# ${WRITTEN}`)) {
    tool('systemctl', 'disable', '--quiet', `${SERVICE}.service`)
    rmSync(WRITTEN_UNIT)
    tool('systemctl', 'daemon-reload')
  }
  removeVersions()
}
