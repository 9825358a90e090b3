// `npm run release`: one archive per architecture with everything that a server needs at run time, Node included, so
// that the target machine builds nothing, installs nothing and may keep it read-only.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { type Dirent, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ARCHITECTURES, type Architecture } from '../agent-bundle/bundle.ts'
import { buildStale } from '../build.ts'
import { packageAgents } from '../debian/release-packages.ts'
import { makeRepository, REPOSITORY } from '../debian/repository.ts'
import { writeChecksums } from './checksums.ts'
import { MANIFEST, releaseNumber, writeManifest } from './manifest.ts'
import { smallArchives } from './small-archive.ts'
import nodeFlags from '../node-flags.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')

/** Workspaces whose sources a server runs. */
const WORKSPACES = withDependencies('apps/server')
/** Build output, and files that users look for. */
const PARTS = ['apps/console/dist', 'apps/docs/build', 'CHANGELOG.md', 'LICENSE'] as const

export interface ReleaseOptions {
  readonly arch: Architecture
  /** Semantic versions, without a `v`; one archive for each. */
  readonly versions: readonly string[]
  /** Architectures of the included agents. */
  readonly agents: readonly Architecture[]
  /** Output folder; created when missing. */
  readonly target: string
  /** gzip level, 1 (fast) to 9 (small). */
  readonly compression: number
  /** Whether the agents' signed manifest is included. */
  readonly manifest?: boolean
  /** Whether the apt repository of their packages is included. */
  readonly repository?: boolean
}

/** Content of `release.json`: origin, and the SHA-256 of each file. */
export interface Manifest {
  readonly name: 'bowline'
  readonly version: string
  readonly platform: string
  readonly node: string
  readonly files: Readonly<Record<string, string>>
}

/**
 * Creates the archives. Their content must have been built.
 * @returns their paths
 * @throws {Error} when npm or tar fails
 */
export function makeReleases(options: ReleaseOptions): string[] {
  const { arch, versions, agents, target, compression, manifest = false, repository = false } = options
  const stage = join(root, `.cache/release-${arch}-${process.pid}`)
  const folder = join(stage, 'bowline')
  rmSync(stage, { recursive: true, force: true })
  try {
    installDependencies(folder, arch)
    for (const workspace of WORKSPACES) copySources(workspace, folder)
    for (const part of PARTS) cpSync(join(root, part), join(folder, part), { recursive: true })
    for (const one of agents) {
      const bundle = `apps/agent/dist/bundle-linux-${one}.tar.gz`
      cpSync(join(root, bundle), join(folder, bundle))
    }
    const small = agents.map((one) => `bundle-linux-${one}.tar.zst`)
    const more = [...(manifest ? [MANIFEST, `${MANIFEST}.sig`, ...small] : []), ...(repository ? [REPOSITORY] : [])]
    for (const name of more) {
      cpSync(join(root, 'apps/agent/dist', name), join(folder, 'apps/agent/dist', name), { recursive: true })
    }
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin/bowline'), launcher(arch), { mode: 0o755 })
    mkdirSync(target, { recursive: true })
    return versions.map((version) => {
      const name = `bowline-${version}-linux-${arch}`
      const archive = join(target, `${name}.tar.gz`)
      writeVersion(join(folder, 'apps/server/package.json'), version)
      writeFileSync(join(folder, 'release.json'), `${JSON.stringify(manifestOf(folder, version, arch), null, 2)}\n`)
      const owners = ['--owner=0', '--group=0', '--mode=u=rwX,go=rX', '--sort=name']
      const named = ['--transform', `flags=r;s,^bowline,${name},`]
      run('tar', ['-I', `gzip -n -${compression}`, '-cf', archive, ...owners, ...named, '-C', stage, 'bowline'], stage)
      return archive
    })
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Installs the lockfile's runtime dependencies, for another architecture too; runs no code of any package. */
function installDependencies(folder: string, arch: Architecture): void {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] }
  // npm needs all workspaces of the lockfile to be present.
  const homes = workspaces.flatMap((one) => {
    const [parent = ''] = one.split('/*')
    return parent === one ? [one] : readdirSync(join(root, parent)).map((inner) => join(parent, inner))
  })
  for (const home of ['.', ...homes]) cpSync(join(root, home, 'package.json'), join(folder, home, 'package.json'))
  cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'))
  const omitted = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund']
  const wanted = ['--include-workspace-root', ...WORKSPACES.flatMap((workspace) => ['--workspace', workspace])]
  const platform = ['--os=linux', `--cpu=${arch}`, '--libc=glibc']
  run('npm', ['ci', ...omitted, ...platform, ...wanted], folder)
  for (const home of homes.filter((one) => !WORKSPACES.includes(one))) rmSync(join(folder, home), { recursive: true })
  for (const left of ['package-lock.json', 'node_modules/.package-lock.json', 'node_modules/.bin']) {
    rmSync(join(folder, left), { recursive: true, force: true })
  }
}

/** @returns a workspace, and those it depends on at run time */
function withDependencies(workspace: string): readonly string[] {
  const found = new Set([workspace])
  for (const one of found) {
    const manifest = readFileSync(join(root, one, 'package.json'), 'utf8')
    const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Record<string, string> }
    for (const name of Object.keys(dependencies)) {
      if (name.startsWith('@bowline/')) found.add(name.replace('@bowline', 'packages'))
    }
  }
  return [...found]
}

function copySources(workspace: string, folder: string): void {
  cpSync(join(root, workspace), join(folder, workspace), {
    recursive: true,
    filter: (path) => !path.endsWith('node_modules') && !path.endsWith('.test.ts'),
  })
}

function writeVersion(file: string, version: string): void {
  const content = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, `${JSON.stringify({ ...content, version }, null, 2)}\n`)
}

/** Runs the server program with the release's Node, wherever the release is and through whatever link it is called. */
function launcher(arch: Architecture): string {
  return [
    '#!/bin/sh',
    'set -e',
    'self=$(readlink -f "$0")',
    'root=${self%/bin/bowline}',
    `exec "$root/node_modules/node-linux-${arch}/bin/node" ${nodeFlags.server.join(' ')} "$root/apps/server/src/main.ts" "$@"`,
    '',
  ].join('\n')
}

function manifestOf(folder: string, version: string, arch: Architecture): Manifest {
  const isListed = (entry: Dirent): boolean => entry.isFile() && entry.name !== 'release.json'
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(isListed)
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort()
  const hash = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')
  return {
    name: 'bowline',
    version,
    platform: `linux-${arch}`,
    node: process.version,
    files: Object.fromEntries(paths.map((path) => [relative(folder, path), hash(path)])),
  }
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr}`)
}

/** The version of this checkout. */
export function versionOfCheckout(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return version
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      version: { type: 'string' },
      target: { type: 'string', default: 'release' },
      'signing-key': { type: 'string' },
      'release-number': { type: 'string' },
      'minimum-release': { type: 'string', default: '0' },
      rotations: { type: 'string' },
      'apt-key': { type: 'string', multiple: true, default: [] },
    },
  })
  const chosen = ARCHITECTURES.filter((arch) => positionals.length === 0 || positionals.includes(arch))
  if (chosen.length < positionals.length) throw new Error(`architectures are ${ARCHITECTURES.join(' and ')}`)
  await buildStale(['console', 'docs', ...ARCHITECTURES.map((arch) => `agent-${arch}`)])
  const target = resolve(root, values.target)
  const version = values.version ?? versionOfCheckout()
  const { 'signing-key': key, 'apt-key': aptKeys, rotations } = values
  const folder = join(root, 'apps/agent/dist')
  const agents = ARCHITECTURES.map((arch) => join(folder, `bundle-linux-${arch}.tar.gz`))
  const release = releaseNumber(values['release-number'])
  // A package names the release that its agent reports: that of a manifest, so without a key it is of none.
  const packages = packageAgents({ root, folder, target, version, release: key === undefined ? 0 : release })
  const bundles = Object.fromEntries(ARCHITECTURES.map((arch, at) => [`linux-${arch}`, agents[at] ?? '']))
  // Only agents that a manifest leads to fetch them.
  const small = key === undefined ? {} : smallArchives(bundles)
  writeManifest({
    folder,
    packages,
    bundles,
    small,
    key,
    version,
    release,
    minimumRelease: Number(values['minimum-release']),
    rotations,
  })
  const debs = Object.values(packages)
  makeRepository({ packages: debs, folder: join(folder, REPOSITORY), keys: aptKeys })
  const archives = chosen.flatMap((arch) =>
    makeReleases({
      arch,
      versions: [version],
      agents: ARCHITECTURES,
      target,
      compression: 9,
      manifest: key !== undefined,
      repository: aptKeys.length > 0,
    }),
  )
  writeChecksums({ target, archives: [...archives, ...debs], agents, key })
  for (const file of [...archives, ...debs]) console.log(file)
}
