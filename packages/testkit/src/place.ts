// The environment an ssh client runs in: this machine, or the small Debian that `trixie.sh` makes.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'

export interface Place {
  /** For messages: `this machine` or the folder. */
  readonly name: string
  /** The command line that runs `file` there. It shares this machine's loopback, devices and temporary folder. */
  command(file: string, args: readonly string[]): readonly [file: string, args: readonly string[]]
}

export const thisMachine: Place = { name: 'this machine', command: (file, args) => [file, args] }

/** Set `TESTKIT_TRIXIE` to keep the folder elsewhere. */
export const TRIXIE_FOLDER: string = process.env['TESTKIT_TRIXIE'] ?? '/var/cache/bowline/trixie'

// The mounts are in a separate namespace and end with the program.
const ENTER = `
folder=$1 temporary=$2; shift 2
mount --rbind /dev "$folder/dev"
mount -t proc proc "$folder/proc"
mkdir -p "$folder$temporary" && mount --bind "$temporary" "$folder$temporary"
exec chroot "$folder" "$@"`

export const trixie: Place = {
  name: TRIXIE_FOLDER,
  command: (file, args) => [
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-ec', ENTER, 'sh', TRIXIE_FOLDER, tmpdir(), file, ...args],
  ],
}

/** The reason why nothing can run in the small Debian here; undefined when it can. */
export function trixieMissing(): string | undefined {
  if (!existsSync(`${TRIXIE_FOLDER}/.stamp`)) return `packages/testkit/trixie.sh has not made ${TRIXIE_FOLDER}`
  const [file, args] = trixie.command('true', [])
  const tried = spawnSync(file, args)
  return tried.status === 0 ? undefined : `${TRIXIE_FOLDER} cannot be entered: ${tried.stderr.toString().trim()}`
}

/** A command's output on either stream, trimmed; empty when it is not installed there. */
export function printedBy(place: Place, file: string, args: readonly string[]): string {
  const result = spawnSync(...place.command(file, args), { encoding: 'utf8' })
  return result.error ? '' : `${result.stdout}${result.stderr}`.trim()
}
