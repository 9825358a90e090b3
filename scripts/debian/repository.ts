// The apt repository of a release's packages, `deb … stable main` (sources.list(5)). Debian's own tools make it, once for
// each release: apt-ftparchive writes the indexes, gpg signs them. Servers only pass the files on.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ARCHITECTURES } from '../agent-bundle/bundle.ts'
import { DEBIAN_NAMES } from './control.ts'

/** Folder beside the agents' archives, which a server offers at `/apt/`. */
export const REPOSITORY = 'apt'
/** The public keys, for `signed-by=`. */
const KEYRING = 'bowline.asc'
const SUITE = 'stable'
const COMPONENT = 'main'

export interface RepositoryOptions {
  /** Paths of the packages. */
  readonly packages: readonly string[]
  /** Where the repository goes; one that is there is replaced. */
  readonly folder: string
  /** Keys of gpg's keyring that sign, by fingerprint or address (gpg(1), "How to specify a user ID"); none: no repository. */
  readonly keys: readonly string[]
}

/** Why this machine can make no repository; undefined when it can. */
export function repositoryProblem(): string | undefined {
  const missing = ['dpkg-deb', 'apt-ftparchive', 'gpg'].find(
    (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error !== undefined,
  )
  return missing && `needs ${missing}`
}

/**
 * Creates the repository, or removes the one of an earlier release when no key signs this one.
 * @throws {Error} when apt-ftparchive or gpg fails, a missing key included; what was there before stays then
 */
export function makeRepository({ packages, folder, keys }: RepositoryOptions): void {
  const part = `${folder}.${process.pid}.part`
  try {
    if (keys.length > 0) {
      if (packages.length === 0) throw new Error('an apt repository needs Debian packages, and those dpkg-deb')
      fill(part, packages)
      sign(part, keys)
    }
    rmSync(folder, { recursive: true, force: true })
    if (keys.length > 0) renameSync(part, folder)
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

function fill(folder: string, packages: readonly string[]): void {
  const pool = `pool/${COMPONENT}`
  const suite = `dists/${SUITE}`
  mkdirSync(join(folder, pool), { recursive: true })
  for (const file of packages) copyFileSync(file, join(folder, pool, basename(file)))
  const architectures = ARCHITECTURES.map((arch) => DEBIAN_NAMES[arch])
  for (const architecture of architectures) {
    const index = join(folder, suite, COMPONENT, `binary-${architecture}`)
    const text = ftparchive(folder, {}, '--arch', architecture, 'packages', pool)
    mkdirSync(index, { recursive: true })
    writeFileSync(join(index, 'Packages'), text)
    writeFileSync(join(index, 'Packages.gz'), gzipSync(text, { level: 9 }))
  }
  const fields = {
    Origin: 'Bowline',
    Label: 'Bowline',
    Suite: SUITE,
    Codename: SUITE,
    Architectures: architectures.join(' '),
    Components: COMPONENT,
    Description: 'Agent of Bowline',
  }
  writeFileSync(join(folder, suite, 'Release'), ftparchive(folder, fields, 'release', suite))
}

/** Signs inline, which apt asks for first, and apart from the file; several keys while one follows another. */
function sign(folder: string, keys: readonly string[]): void {
  const release = join(folder, 'dists', SUITE, 'Release')
  const signers = keys.flatMap((key) => ['--local-user', key])
  const options = ['--batch', '--armor', '--digest-algo', 'SHA512', ...signers]
  run('gpg', [...options, '--output', join(folder, 'dists', SUITE, 'InRelease'), '--clear-sign', release], folder)
  run('gpg', [...options, '--output', `${release}.gpg`, '--detach-sign', release], folder)
  const exported = ['--batch', '--armor', '--export-options', 'export-minimal', '--export', ...keys]
  writeFileSync(join(folder, KEYRING), run('gpg', exported, folder))
}

/** @param fields of the Release file @returns what apt-ftparchive(1) prints; paths are relative to the folder */
function ftparchive(folder: string, fields: Readonly<Record<string, string>>, ...command: readonly string[]): string {
  const settings = {
    // Hashes that apt no longer trusts.
    'APT::FTPArchive::MD5': 'false',
    'APT::FTPArchive::SHA1': 'false',
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [`APT::FTPArchive::Release::${name}`, value])),
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  return run('apt-ftparchive', ['--quiet', ...options, ...command], folder)
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr.trim()}`)
  return stdout
}
