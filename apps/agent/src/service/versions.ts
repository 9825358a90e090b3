// Installed versions of the agent, side by side, and the link to the active one.
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ownPackage, PACKAGE_FILE } from '../own-package.ts'
import { COPIED_COMMAND, COPIED_PROGRAMS, CURRENT, PROGRAMS } from './places.ts'

const FOLDER = /^bowline-agent-\d/

/** Folder name of the active version, `bowline-agent-<version>-<build>`; undefined when there is none. */
export function currentVersion(): string | undefined {
  return linkTarget(CURRENT)
}

/**
 * Copies the bundle in `source` to the versions unless it is there.
 * @param source folder of a bundle, with the version in its name
 */
export function addVersion(source: string): string {
  const name = basename(source)
  const folder = join(PROGRAMS, name)
  if (existsSync(folder)) return name
  const part = join(PROGRAMS, `.${name}.${process.pid}`)
  mkdirSync(part, { recursive: true, mode: 0o755 })
  for (const file of readdirSync(source)) copyFileSync(join(source, file), join(part, file))
  renameSync(part, folder)
  return name
}

/**
 * Links the files of a package to a folder of their own among the versions: a process goes on reading them while the
 * package manager replaces the package's.
 * @param source folder of the package's files
 * @param name of the folder
 */
export function linkVersion(source: string, name: string): void {
  const folder = join(PROGRAMS, name)
  if (existsSync(folder)) {
    // The same program, maybe in another release.
    const marker = join(folder, PACKAGE_FILE)
    linkSync(join(source, PACKAGE_FILE), `${marker}.${process.pid}`)
    renameSync(`${marker}.${process.pid}`, marker)
    // Two names of one file: rename(2) leaves both.
    rmSync(`${marker}.${process.pid}`, { force: true })
    return
  }
  const part = join(PROGRAMS, `.${name}.${process.pid}`)
  mkdirSync(part, { mode: 0o755 })
  for (const file of readdirSync(source)) linkSync(join(source, file), join(part, file))
  renameSync(part, folder)
}

/** Atomically makes a version the one that starts next. @returns whether it changed */
export function useVersion(name: string): boolean {
  const before = currentVersion()
  if (before !== name) point(CURRENT, name)
  const command = join(CURRENT, 'bowline')
  if (ownPackage() === undefined && linkTarget(COPIED_COMMAND) !== command) point(COPIED_COMMAND, command)
  return before !== name
}

/** Removes versions neither active, nor in `kept`, nor of a process that runs: it may still read files of its version. */
export function removeOtherVersions(kept: readonly (string | undefined)[]): void {
  const used = new Set([currentVersion(), ...kept, ...runningVersions()])
  for (const name of readdirSync(PROGRAMS)) {
    if (FOLDER.test(name) && !used.has(name)) {
      rmSync(join(PROGRAMS, name), { recursive: true })
    }
  }
}

function runningVersions(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    const program = /^\d+$/.test(pid) ? linkTarget(`/proc/${pid}/exe`) : undefined
    return program?.startsWith(`${PROGRAMS}/`) ? [basename(dirname(program))] : []
  })
}

/** Removes what {@link addVersion} and {@link useVersion} have made, not what a package has brought. */
export function removeVersions(): void {
  rmSync(COPIED_PROGRAMS, { recursive: true, force: true })
  // A file of that name that belongs to another program stays.
  if (linkTarget(COPIED_COMMAND)?.startsWith(COPIED_PROGRAMS)) rmSync(COPIED_COMMAND)
}

/** Atomically makes a link lead to `target`. */
export function point(link: string, target: string): void {
  mkdirSync(dirname(link), { recursive: true })
  const part = `${link}.${process.pid}`
  symlinkSync(target, part)
  renameSync(part, link)
}

export function linkTarget(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}
