// Packages of another architecture than this machine's: `npm ci` omits them, so they are fetched when a bundle needs
// them, in the version and with the hash of the lockfile.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Folder of a package: the installed one, or a copy fetched through npm.
 * @param root of the project
 * @param name as in the lockfile, where it must be
 * @throws {Error} when it is not installed and cannot be fetched, or does not match the lockfile
 */
export function packageFolder(root: string, name: string): string {
  const installed = join(root, 'node_modules', name)
  if (existsSync(installed)) return installed
  const { version, integrity } = locked(root, name)
  const cache = join(root, '.cache/packages')
  const folder = join(cache, `${name.replaceAll('/', '+')}-${version}`)
  if (existsSync(folder)) return folder
  // Unique to this process: concurrent fetches are possible.
  const stage = `${folder}.${process.pid}`
  mkdirSync(stage, { recursive: true })
  try {
    run('npm', ['pack', '--silent', '--pack-destination', stage, `${name}@${version}`], stage)
    const [file = ''] = readdirSync(stage)
    const hash = createHash('sha512')
      .update(readFileSync(join(stage, file)))
      .digest('base64')
    if (`sha512-${hash}` !== integrity) throw new Error(`${name}@${version} is not what the lockfile names`)
    run('tar', ['-xzf', file], stage)
    // npm's archives contain one folder of this name.
    if (!existsSync(folder)) renameSync(join(stage, 'package'), folder)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
  return folder
}

function locked(root: string, name: string): { version: string; integrity: string } {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { version, integrity } = packages[`node_modules/${name}`] ?? {}
  if (typeof version !== 'string' || typeof integrity !== 'string') throw new Error(`the lockfile has no ${name}`)
  return { version, integrity }
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status === 0) return
  const reason = error?.message ?? stderr.trim().split('\n').at(-1)
  throw new Error(`${command} ${args[0]} failed${reason ? `: ${reason}` : ''}`)
}
