// `install` and `uninstall`: the agent as a service of this machine. Installing again applies what has changed: another
// version, other settings; without a change nothing is restarted.
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { SETTINGS } from '@bowline/contract/config'
import { readConfig } from '../config.ts'
import { ownPackage } from '../own-package.ts'
import { ownBundle } from '../own-program.ts'
import { ServiceError, type ServiceManager, WRITTEN } from './manager.ts'
import { openrc } from './openrc.ts'
import { launcherText } from './launcher.ts'
import { refuseBesidePackage, replaceCopied } from './packaged.ts'
import { CONFIG_FOLDER, KEY_FILE, LAUNCHER, NEXT, PACKAGE_FOLDER, PREVIOUS, PROGRAMS, SETTINGS_FILE } from './places.ts'
import { readSettings, type Settings, writeIfChanged, writeSettings } from './settings-file.ts'
import { systemd } from './systemd.ts'
import { addVersion, currentVersion, linkVersion, removeOtherVersions, removeVersions, useVersion } from './versions.ts'

const MANAGERS: readonly ServiceManager[] = [systemd, openrc]

/** The manager that runs this machine; undefined when it is not a supported one. */
export function serviceManager(): ServiceManager | undefined {
  return MANAGERS.find((manager) => manager.isHere())
}

/**
 * @param given settings that override those of an earlier installation, by environment name
 * @param say prints one line for the user
 * @throws {ServiceError} when this machine or this user cannot
 * @throws {ConfigError} when an agent with these settings could not run; nothing has changed then
 */
export function install(given: Settings, say: (line: string) => void): void {
  const bundle = ownBundle()
  if (bundle === undefined) {
    throw new ServiceError('This agent runs from a checkout. To install one, run the command that the console shows.')
  }
  const manager = managerForRoot('install')
  const own = ownPackage()
  if (own === undefined) refuseBesidePackage()
  const wanted = { ...readSettings(SETTINGS_FILE), ...given }
  const { keyFile, tenantId } = readConfig(wanted, { singleUser: false, uid: 0 })
  // The service does not start in the directory of this command.
  const settings = 'BOWLINE_PRIVATE_KEY' in wanted ? { ...wanted, BOWLINE_PRIVATE_KEY: keyFile } : wanted
  const before = currentVersion()
  if (own !== undefined) linkVersion(PACKAGE_FOLDER, own.program)
  const version = own?.program ?? addVersion(bundle)
  mkdirSync(CONFIG_FOLDER, { recursive: true, mode: 0o700 })
  const otherSettings = writeSettings(SETTINGS_FILE, settings)
  const otherVersion = useVersion(version)
  const otherLauncher = own === undefined && writeIfChanged(LAUNCHER, launcherText(PROGRAMS, WRITTEN), 0o755)
  if (otherLauncher) chmodSync(LAUNCHER, 0o755)
  for (const link of [PREVIOUS, NEXT]) rmSync(link, { force: true })
  if (own !== undefined) replaceCopied()
  const otherService = !manager.isPackaged && writeIfChanged(manager.file, manager.text, manager.mode)
  if (otherService) {
    chmodSync(manager.file, manager.mode)
    manager.reload()
  }
  manager.enable()
  removeOtherVersions([before])
  if (!otherSettings && !otherVersion && !otherLauncher && !otherService && manager.isRunning()) {
    return say(`${version} is already installed and running.`)
  }
  if (tenantId === undefined && !existsSync(`${keyFile}.namespace.json`)) {
    say('No namespace is set: the log of the service shows the code by which you add the device to one.')
  }
  // Last step: if this runs in a session of the agent, the session ends here.
  say(`${version} is installed as a service of ${manager.name}; starting it. Its log: ${manager.logCommand}`)
  manager.restart()
}

/**
 * @param removeKey also removes the device's key; while it exists a later installation is the same device
 * @throws {ServiceError}
 */
export function uninstall(removeKey: boolean, say: (line: string) => void): void {
  const manager = managerForRoot('uninstall')
  const keyFile = readSettings(SETTINGS_FILE)['BOWLINE_PRIVATE_KEY'] ?? KEY_FILE
  if (existsSync(manager.file)) {
    manager.disable()
    if (!manager.isPackaged) {
      rmSync(manager.file)
      manager.reload()
    }
  }
  const own = ownPackage()
  if (own === undefined) removeVersions()
  else say(`The program stays until the package is removed (\`${own.manager} remove ${own.package}\`).`)
  rmSync(SETTINGS_FILE, { force: true })
  if (removeKey) {
    for (const end of ['', '.statement.json', '.namespace.json', '.updates.json'])
      rmSync(`${keyFile}${end}`, { force: true })
    say('The agent and its key have been removed.')
  } else if (existsSync(keyFile)) {
    say(
      `The agent has been removed. ${keyFile} was kept, so reinstalling registers the same device (--remove-key deletes it).`,
    )
  } else say('The agent has been removed.')
}

/** Settings of an agent in an environment; including unknown ones, so that they are reported. */
export function settingsIn(env: Readonly<Record<string, string | undefined>>): Settings {
  const known: Readonly<Record<string, { programs: readonly string[] }>> = SETTINGS
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      if (!name.startsWith('BOWLINE_') || !value) return []
      return known[name]?.programs.includes('agent') === false ? [] : [[name, value]]
    }),
  )
}

function managerForRoot(command: string): ServiceManager {
  if (process.geteuid?.() !== 0) throw new ServiceError(`\`bowline agent ${command}\` needs root (try sudo).`)
  const manager = serviceManager()
  if (manager) return manager
  throw new ServiceError(
    'This machine is run by neither systemd nor OpenRC: start `bowline agent` from whatever runs its services.',
  )
}
