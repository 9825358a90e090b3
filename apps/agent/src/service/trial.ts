// A new version on trial: `previous` names the one to return to. Each step is one rename or removal, so that a machine
// that goes down at any moment starts a version that is there.
import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import type { UpdateFile } from '../device/update-file.ts'
import { ownBundle } from '../own-program.ts'
import { NEXT, PREVIOUS, PROGRAMS } from './places.ts'
import { currentVersion, linkTarget, point, useVersion } from './versions.ts'

/** Makes an unpacked version the current one, on trial. */
export function beginTrial(name: string): void {
  const before = currentVersion()
  if (before !== undefined) point(PREVIOUS, before)
  useVersion(name)
  rmSync(NEXT, { force: true })
  syncFolder(PROGRAMS)
}

/** Folder name of the version before the one that is on trial; undefined: none is. */
export function versionBefore(): string | undefined {
  const before = linkTarget(PREVIOUS)
  return before === currentVersion() ? undefined : before
}

/** Whether this process is the version that is on trial. */
export function isOnTrial(): boolean {
  const own = ownBundle()
  return own !== undefined && versionBefore() !== undefined && basename(own) === currentVersion()
}

/** The version on trial has reached the server: it stays. @throws {Error} when that cannot be recorded; it does not then */
export function endTrial(updates: UpdateFile, release: number): void {
  updates.worked(release)
  rmSync(PREVIOUS, { force: true })
  syncFolder(PROGRAMS)
}

/**
 * Returns to the version before.
 * @param isTransient the version itself is not to blame: it may be tried again
 * @returns the version that is current now; undefined when none was on trial
 */
export function returnToPrevious(updates: UpdateFile, reason: string, isTransient: boolean): string | undefined {
  const before = versionBefore()
  if (before !== undefined) {
    try {
      updates.failed(reason, isTransient)
    } catch {
      // A damaged file or a full disk must not keep the version that works from starting. It reports a damaged one.
    }
    useVersion(before)
    syncFolder(PROGRAMS)
  }
  rmSync(PREVIOUS, { force: true })
  syncFolder(PROGRAMS)
  return before
}

/** Makes what has been renamed in a folder survive a power cut (fsync(2)). */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** {@link syncFolder}, with the files in it. */
export function syncFiles(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isFile()) syncFolder(`${folder}/${entry.name}`)
  syncFolder(folder)
}
