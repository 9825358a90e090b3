// Runs a tool or a TypeScript file of the project under the project's own Node:
//   node scripts/run.js bench/src/main.ts --rows bulk        a TypeScript or JavaScript file
//   node scripts/run.js vitest run --project packages        a package's command
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { nodeEnvironment, projectNode, root } from './project-node.js'

/** Commands whose name differs from their package's. */
const PACKAGE_OF = {
  depcruise: 'dependency-cruiser',
  tsc: 'typescript',
  docusaurus: '@docusaurus/core',
  redocly: '@redocly/cli',
}

const [target, ...args] = process.argv.slice(2)
if (!target) {
  console.error('usage: node scripts/run.js <file.ts | command> [arguments]')
  process.exit(2)
}
const node = projectNode()
const child = spawn(node, [script(target), ...args], {
  stdio: 'inherit',
  env: { ...nodeEnvironment(), PATH: `${dirname(node)}:${join(root, 'node_modules/.bin')}:${process.env.PATH ?? ''}` },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)))

/** The JavaScript file behind a command's name, so that its `#!/usr/bin/env node` cannot pick the host's Node. */
function script(name) {
  if (/\.[cm]?[jt]s$/.test(name) && existsSync(name)) return name
  const home = join(root, 'node_modules', PACKAGE_OF[name] ?? name)
  if (existsSync(join(home, 'package.json'))) {
    const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
    const file = typeof bin === 'string' ? bin : bin?.[name]
    if (file) return join(home, file)
  }
  console.error(`no file and no installed command named '${name}'`)
  process.exit(2)
}
