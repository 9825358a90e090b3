// Debian packages of the agent, of the same executable as the archives that servers hand out.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { PACKAGE_FILE, type PackageMarker } from '../../apps/agent/src/own-package.ts'
import { launcherText } from '../../apps/agent/src/service/launcher.ts'
import { launcherIn, PACKAGE_FOLDER, PACKAGED_COMMAND, PACKAGED_PROGRAMS } from '../../apps/agent/src/service/places.ts'
import { PACKAGED_UNIT, unitText } from '../../apps/agent/src/service/systemd.ts'
import {
  type Facts,
  changelogText,
  controlText,
  copyrightText,
  debianVersion,
  DEBIAN_NAMES,
  PACKAGE,
} from './control.ts'

const SCRIPTS = ['postinst', 'prerm', 'postrm'] as const
const ORIGIN = `File of the package ${PACKAGE}`

export interface PackageOptions extends Facts {
  readonly root: string
  /** The agent's archive for the architecture. */
  readonly bundle: string
  /** Number of the signed release; 0: it is not signed. */
  readonly release: number
  /** Output folder; created when missing. */
  readonly target: string
  /** xz level, 1 (fast) to 9 (small); 0: not compressed. */
  readonly compression: number
}

/** Whether this machine can make packages. */
export function canMakePackages(): boolean {
  return spawnSync('dpkg-deb', ['--version'], { stdio: 'ignore' }).status === 0
}

/**
 * Creates a package; the same options give the same bytes with the same tools.
 * @returns its path
 * @throws {Error} when tar or dpkg-deb fails
 */
export function makePackage(options: PackageOptions): string {
  const { root, arch, version, target, compression, epoch } = options
  const stage = join(root, `.cache/package-${arch}-${process.pid}`)
  rmSync(stage, { recursive: true, force: true })
  try {
    fillPrograms(options, stage)
    fillDocuments(options, stage)
    fillControl(options, stage)
    for (const path of entriesOf(stage)) lutimesSync(path, epoch, epoch)
    mkdirSync(target, { recursive: true })
    const file = join(target, `${PACKAGE}_${debianVersion(version)}_${DEBIAN_NAMES[arch]}.deb`)
    // xz: dpkg of Debian 11 reads no zstd. Several threads would cut the data into blocks by their number.
    const packing = [
      '--root-owner-group',
      ...(compression === 0 ? ['-Znone'] : ['-Zxz', `-z${compression}`]),
      '--build',
      stage,
      file,
    ]
    run('dpkg-deb', packing, { SOURCE_DATE_EPOCH: String(epoch), DPKG_DEB_THREADS_MAX: '1' })
    return file
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

function fillPrograms({ bundle, release }: PackageOptions, stage: string): void {
  const programs = join(stage, PACKAGED_PROGRAMS)
  mkdirSync(programs, { recursive: true })
  run('tar', ['-xzf', bundle, '-C', programs])
  const [program = ''] = readdirSync(programs)
  renameSync(join(programs, program), join(stage, PACKAGE_FOLDER))
  // Its npm package for arm64 has it executable, which Debian's policy (10.2) forbids for what is only loaded.
  chmodSync(join(stage, PACKAGE_FOLDER, 'koffi.node'), 0o644)
  const marker: PackageMarker = { manager: 'apt', package: PACKAGE, program, release }
  write(stage, join(PACKAGE_FOLDER, PACKAGE_FILE), `${JSON.stringify(marker)}\n`)
  write(stage, launcherIn(PACKAGED_PROGRAMS), launcherText(PACKAGED_PROGRAMS, ORIGIN), 0o755)
  write(stage, PACKAGED_UNIT, unitText(PACKAGED_PROGRAMS, ORIGIN))
  mkdirSync(join(stage, dirname(PACKAGED_COMMAND)), { recursive: true })
  symlinkSync(relative(dirname(PACKAGED_COMMAND), join(PACKAGE_FOLDER, 'bowline')), join(stage, PACKAGED_COMMAND))
}

function fillDocuments(options: PackageOptions, stage: string): void {
  const { root, version, epoch } = options
  const documents = `/usr/share/doc/${PACKAGE}`
  const date = new Date(epoch * 1_000).toISOString().slice(0, 10)
  const page = readFileSync(join(import.meta.dirname, 'bowline.1'), 'utf8')
  write(stage, join(documents, 'copyright'), copyrightText(root, options))
  write(stage, `/usr/share/lintian/overrides/${PACKAGE}`, readFileSync(join(import.meta.dirname, 'lintian-overrides')))
  write(stage, join(documents, 'changelog.gz'), zipped(changelogText(options)))
  write(
    stage,
    '/usr/share/man/man1/bowline.1.gz',
    zipped(page.replace('@DATE@', date).replace('@VERSION@', debianVersion(version))),
  )
}

/** Last of all: its files are about the others. */
function fillControl(options: PackageOptions, stage: string): void {
  const files = entriesOf(stage).filter((path) => lstatSync(path).isFile())
  const sums = files.map((path) => {
    const sum = createHash('md5').update(readFileSync(path)).digest('hex')
    return `${sum}  ${relative(stage, path)}\n`
  })
  const kib = entriesOf(stage).map((path) => (lstatSync(path).isFile() ? Math.ceil(lstatSync(path).size / 1_024) : 1))
  write(stage, 'DEBIAN/md5sums', sums.join(''))
  write(
    stage,
    'DEBIAN/control',
    controlText(
      options,
      kib.reduce((sum, one) => sum + one, 0),
    ),
  )
  for (const name of SCRIPTS) {
    copyFileSync(join(import.meta.dirname, name), join(stage, 'DEBIAN', name))
    chmodSync(join(stage, 'DEBIAN', name), 0o755)
  }
}

/** Writes a file of the package, and its folders. @param path in the package */
function write(stage: string, path: string, content: string | Buffer, mode = 0o644): void {
  const file = join(stage, path)
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  writeFileSync(file, content, { mode })
}

function zipped(text: string): Buffer {
  return gzipSync(text, { level: 9 })
}

/** Paths of everything below a folder, sorted, and of the folder at the end. */
function entriesOf(folder: string): string[] {
  const below = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return [...below.map((path) => join(folder, path)).reverse(), folder]
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env } })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr}`)
}
