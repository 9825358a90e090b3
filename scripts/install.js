// Installs the dependencies when the lockfile differs from the one last installed. Plain JavaScript for any host Node.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './project-node.js'

const stampFile = join(root, 'node_modules', '.bowline-installed')

/** Hash of the lockfile: identifies the set of packages to install. */
export function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

/**
 * Runs `npm ci` unless this lockfile is already installed. npm's output goes to stderr: stdout belongs to the caller.
 * Exits the process with npm's status when it fails.
 */
export function ensureInstalled() {
  const wanted = lockHash()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return
  console.error('Installing dependencies …')
  const npm = process.env.npm_execpath
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  if (process.env.npm_config_ignore_scripts === 'true') flags.push('--ignore-scripts')
  const command = npm ? [process.execPath, [npm, ...flags]] : ['npm', flags]
  const result = spawnSync(command[0], command[1], { cwd: root, stdio: ['ignore', 2, 2] })
  if (result.status !== 0) process.exit(result.status ?? 1)
  writeFileSync(stampFile, wanted)
}
