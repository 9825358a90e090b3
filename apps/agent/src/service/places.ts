// Paths of an installed agent.
import { join } from 'node:path'
import { ownPackage } from '../own-package.ts'

/** Folders of programs: of those that `bowline agent install` has copied, and of those that a package has brought. */
export const COPIED_PROGRAMS = '/usr/local/lib/bowline'
export const PACKAGED_PROGRAMS = '/usr/lib/bowline'
/** Files of the installed package; the package manager replaces them. */
export const PACKAGE_FOLDER = join(PACKAGED_PROGRAMS, 'package')
const isPackaged = ownPackage() !== undefined

/** Holds one folder per version and `current`, a link to the active one. */
export const PROGRAMS = isPackaged ? PACKAGED_PROGRAMS : COPIED_PROGRAMS
export const CURRENT = join(PROGRAMS, 'current')
/** Link to the version to return to, while the active one is on trial. */
export const PREVIOUS = join(PROGRAMS, 'previous')
/** Link to the version that a package has brought and that has not become the active one yet. */
export const NEXT = join(PROGRAMS, 'next')
/** The program that the service manager starts. */
export const LAUNCHER = launcherIn(PROGRAMS)
/** The folder in which an update is fetched and unpacked; for root only. */
export const UPDATE_FOLDER = join(PROGRAMS, '.update')
/** In users' PATH; a package has its own link there. */
export const COPIED_COMMAND = '/usr/local/bin/bowline'
export const PACKAGED_COMMAND = '/usr/bin/bowline'
export const CONFIG_FOLDER = '/etc/bowline'
export const SETTINGS_FILE = join(CONFIG_FOLDER, 'agent.env')
/** Also the default of BOWLINE_PRIVATE_KEY for root. */
export const KEY_FILE = join(CONFIG_FOLDER, 'agent.key')
/** Below /run; the service manager creates it and passes it in RUNTIME_DIRECTORY (systemd.exec(5)). */
export const RUNTIME_NAME = 'bowline-agent'
export const SERVICE = 'bowline-agent'

/** @param programs folder of versions */
export function launcherIn(programs: string): string {
  return join(programs, 'launch')
}
