// Brings an offered version onto the disk: fetched, verified, unpacked beside the others, and tried whether it starts.
import { execFile, type ExecFileException } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { ManifestArchive } from '@bowline/link/agent-manifest'
import { PROGRAMS, UPDATE_FOLDER } from '../service/places.ts'
import { syncFiles, syncFolder } from '../service/trial.ts'
import { type FetchParts, FetchError, fetchFile } from './fetch.ts'
import type { Offer } from './offer.ts'
import { MANIFEST_FILE } from './own-release.ts'
import { unpack } from './unpack.ts'

const SPARE_BYTES = 32 * 1024 * 1024
const START_TIMEOUT_MS = 60_000
const ATTEMPTS = 5
const run = promisify(execFile)

/** It cannot be done on this machine; the message says why. */
export class PrepareError extends Error {
  override readonly name = 'PrepareError'
}

/** The folder of the versions, and one to work in, on the same file system. */
interface Folders {
  readonly programs: string
  readonly work: string
  readonly freeBytes?: (folder: string) => number
}

/**
 * @returns folder name of the version, ready to be made current
 * @throws {PrepareError | ArchiveError | FetchError | ConnectError | Error} nothing that runs has changed then
 */
export async function prepare(
  parts: FetchParts,
  offer: Offer,
  folders: Folders = { programs: PROGRAMS, work: UPDATE_FOLDER },
): Promise<string> {
  const { programs, work, freeBytes = freeBytesOf } = folders
  ownFolder(work)
  const fetched = offer.bundle.small ?? offer.bundle
  const archive = join(work, fetched.sha256)
  const stage = join(work, 'unpacked')
  const needed = fetched.size + offer.bundle.unpacked + SPARE_BYTES
  if (freeBytes(work) < needed) throw new PrepareError(`less than ${Math.ceil(needed / 1024 ** 2)} MB are free`)
  await fetchWithRetries(parts, fetched, archive)
  rmSync(stage, { recursive: true, force: true })
  mkdirSync(stage, { mode: 0o700 })
  const folder = await unpack(archive, stage, offer.bundle.unpacked)
  const name = basename(folder)
  const isKnown = existsSync(join(programs, name))
  if (!isKnown) {
    await startsOrThrows(join(folder, 'bowline'))
    writeFileSync(join(folder, MANIFEST_FILE), offer.bytes)
    syncFiles(folder)
    renameSync(folder, join(programs, name))
  } else {
    // The same program under another number.
    writeFileSync(join(stage, MANIFEST_FILE), offer.bytes, { flush: true })
    renameSync(join(stage, MANIFEST_FILE), join(programs, name, MANIFEST_FILE))
    syncFolder(join(programs, name))
  }
  syncFolder(programs)
  rmSync(work, { recursive: true })
  return name
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Makes a folder that nobody else may enter. @throws {PrepareError} when another one is there */
function ownFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(path)
  const isOurs = lstatSync(path).isDirectory() && uid === process.geteuid?.() && (mode & 0o077) === 0
  if (!isOurs) throw new PrepareError(`${path} is not a folder of this user alone`)
}

async function fetchWithRetries(parts: FetchParts, fetched: ManifestArchive, archive: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetchFile(parts, `/agent/${fetched.file}`, archive, fetched)
    } catch (error) {
      if (attempt === ATTEMPTS || parts.signal.aborted || !(error instanceof Error)) throw error
      // A full disk does not get better by fetching again.
      if ('code' in error && error.code === 'ENOSPC') throw new PrepareError('the disk is full')
      if (error instanceof FetchError && error.message.includes('answered 404')) throw error
    }
  }
}

/** Faults of the machine, such as a missing library, are reported before anything changes. Sessions go on meanwhile. */
async function startsOrThrows(program: string): Promise<void> {
  try {
    await run(program, ['--version'], { timeout: START_TIMEOUT_MS })
  } catch (error) {
    throw new PrepareError(`the new version does not start here: ${faultOf(error as ExecFileException)}`, {
      cause: error,
    })
  }
}

function faultOf({ code, killed, stderr = '', message }: ExecFileException): string {
  const [said = ''] = String(stderr).trim().split('\n')
  if (said !== '') return said
  if (killed) return `it did not end within ${START_TIMEOUT_MS / 1_000} seconds`
  return typeof code === 'number' ? `it ended with ${code}` : message
}
