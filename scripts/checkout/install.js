// Installs the dependencies when the lockfile differs from the one last installed. Plain JavaScript for any host Node.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeCheckoutLock } from './lock.js'
import { root } from '../project-node.js'

const stampFile = join(root, 'node_modules', '.bowline-installed')

/** Hash of the lockfile: identifies the set of packages to install. */
export function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

/**
 * Whether npm has installed a lockfile by itself: what it has put into node_modules is what the lockfile names. Optional
 * packages, such as those of other platforms, may be missing.
 * @param {{packages: Record<string, {version?: string, link?: boolean, optional?: boolean}>}} lock package-lock.json
 * @param {{packages: Record<string, {version?: string}>}} installed npm's node_modules/.package-lock.json
 */
export function hasInstalled(lock, installed) {
  const entries = Object.entries(lock.packages).filter(([path]) => path.includes('node_modules/'))
  return entries.every(([path, { version, optional }]) => {
    const there = installed.packages[path]
    return there ? there.version === version : optional === true
  })
}

function isInstalledByNpm() {
  const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((name) => join(root, name))
  if (!existsSync(installed)) return false
  return hasInstalled(JSON.parse(readFileSync(lock, 'utf8')), JSON.parse(readFileSync(installed, 'utf8')))
}

/**
 * Runs `npm ci` unless this lockfile is already installed. npm's output goes to stderr: stdout belongs to the caller.
 * Exits the process with npm's status when it fails.
 */
export function ensureInstalled() {
  const wanted = lockHash()
  if (isInstalled(wanted)) return
  const release = takeCheckoutLock('install')
  try {
    if (!isInstalled(wanted)) install(wanted)
  } finally {
    release()
  }
}

function isInstalled(wanted) {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return true
  if (!isInstalledByNpm()) return false
  writeFileSync(stampFile, wanted)
  return true
}

function install(wanted) {
  console.error('Installing dependencies …')
  const npm = process.env.npm_execpath
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  if (process.env.npm_config_ignore_scripts === 'true') flags.push('--ignore-scripts')
  const command = npm ? [process.execPath, [npm, ...flags]] : ['npm', flags]
  const result = spawnSync(command[0], command[1], { cwd: root, stdio: ['ignore', 2, 2] })
  if (result.status !== 0) process.exit(result.status ?? 1)
  writeFileSync(stampFile, wanted)
}
