// Paths of an installed agent.
import { join } from 'node:path'

/** Holds one folder per version and `current`, a link to the active one. */
export const PROGRAMS = '/usr/local/lib/bowline'
export const CURRENT = join(PROGRAMS, 'current')
/** Link to the version to return to, while the active one is on trial. */
export const PREVIOUS = join(PROGRAMS, 'previous')
/** The program that the service manager starts. */
export const LAUNCHER = join(PROGRAMS, 'launch')
/** The folder in which an update is fetched and unpacked; for root only. */
export const UPDATE_FOLDER = join(PROGRAMS, '.update')
/** In users' PATH. */
export const COMMAND = '/usr/local/bin/bowline'
export const CONFIG_FOLDER = '/etc/bowline'
export const SETTINGS_FILE = join(CONFIG_FOLDER, 'agent.env')
/** Also the default of BOWLINE_PRIVATE_KEY for root. */
export const KEY_FILE = join(CONFIG_FOLDER, 'agent.key')
/** Below /run; the service manager creates it and passes it in RUNTIME_DIRECTORY (systemd.exec(5)). */
export const RUNTIME_NAME = 'bowline-agent'
export const SERVICE = 'bowline-agent'
