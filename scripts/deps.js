// Changes the dependencies of the project: `npm run deps -- install --workspace apps/server pg`.
// npm picks versions by the engine it runs under, so it must run under the project's own Node: under an older host
// Node it silently resolves older packages and writes a lockfile nobody else can reproduce.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectNode } from './project-node.js'

const node = projectNode()
const npm = npmCli()
const result = spawnSync(node, [npm, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` },
})
process.exit(result.status ?? 1)

/** The host's npm-cli.js: npm sets its own path for scripts it runs; otherwise it is found through PATH. */
function npmCli() {
  const fromNpm = process.env.npm_execpath
  if (fromNpm && existsSync(fromNpm)) return fromNpm
  const found = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  const target = realpathSync(found)
  return target.endsWith('.js') ? target : join(dirname(target), '../lib/node_modules/npm/bin/npm-cli.js')
}
