// `npm start`: installs what is missing, then hands over to the quickstart under the project's own Node. Plain
// JavaScript for any host Node: nothing is installed yet when this runs.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { ensureInstalled } from './checkout/install.js'
import { nodeEnvironment, projectNode, root } from './project-node.js'

const LOOK_MS = 500

ensureInstalled()
const quickstart = join(root, 'scripts/quickstart')
const child = spawn(
  projectNode(),
  ['--import', join(quickstart, 'ends-with-parent.js'), join(quickstart, 'main.ts'), ...process.argv.slice(2)],
  { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: nodeEnvironment() },
)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)))

// A signal to npm reaches the shell between npm and this process, which dies without passing it on.
if (process.env.npm_lifecycle_event) {
  const started = startedBy()
  setInterval(() => startedBy() === started || child.kill('SIGTERM'), LOOK_MS)
}

/** The ancestor processes from npm down to here, as text: it changes when one of them has ended and been replaced. */
function startedBy() {
  const parent = process.ppid
  try {
    const stat = readFileSync(`/proc/${parent}/stat`, 'utf8')
    if (stat.includes('(npm')) return `${parent}`
    return `${parent} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`
  } catch {
    return `${parent}`
  }
}
