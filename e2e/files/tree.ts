// Creates a folder tree to transfer, and describes the result.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const TIME = 1_234_567_890

/** Files of several sizes, modes and names, a link and a folder; deterministic for one `seed`. */
export function makeTree(folder: string, seed: Buffer = randomBytes(32)): void {
  mkdirSync(join(folder, 'sub/deep'), { recursive: true })
  const write = (name: string, bytes: number, mode: number): void => {
    writeFileSync(join(folder, name), createHash('shake256', { outputLength: bytes }).update(seed).digest(), { mode })
  }
  write('empty', 0, 0o644)
  write('small', 100, 0o600)
  write('large', 3_000_001, 0o640)
  write('script', 300, 0o755)
  write('sub/name with spaces & ü', 5_000, 0o644)
  write('sub/deep/readonly', 70_000, 0o444)
  symlinkSync('small', join(folder, 'link'))
  for (const name of ['empty', 'small', 'large', 'script', 'sub/name with spaces & ü', 'sub/deep/readonly']) {
    utimesSync(join(folder, name), TIME, TIME)
  }
  // The folder itself too: rsync lists it when its mtime differs, by the second in which the other was created.
  for (const name of ['sub/deep', 'sub', '']) utimesSync(join(folder, name), TIME, TIME)
}

/** Every file with type, mode, size, link target, contents and time; `fresh` for times that were not set explicitly. */
export function lookOf(folder: string): string[] {
  const found = execFileSync('find', ['.', '-printf', String.raw`%P\t%y %m %s %l %Ts\0`], { cwd: folder })
  return found
    .toString('latin1')
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [name = '', rest = ''] = line.split('\t')
      const [type, mode, size, target, time] = rest.split(' ')
      const isFolder = type === 'd'
      const when = Number(time) === TIME ? 'kept' : 'fresh'
      // The size of a folder depends on the file system.
      return `${name} ${type} ${mode} ${isFolder ? '' : size} ${target} ${when} ${type === 'f' ? hashOf(folder, name) : ''}`
    })
    .toSorted((a, b) => a.localeCompare(b))
}

function hashOf(folder: string, name: string): string {
  const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')])
  return execFileSync('sha256sum', ['--zero', '--', path.toString('utf8')], { encoding: 'utf8' }).slice(0, 16)
}
