#!/usr/bin/env node
// `bowline …`: runs the program that a command belongs to, under the project's own Node.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { nodeEnvironment, projectNode, root } from '../scripts/project-node.js'

const [command, ...rest] = process.argv.slice(2)
const isAgent = command === 'agent'
const program = isAgent ? 'apps/agent/src/main.ts' : 'apps/server/src/main.ts'
const args = isAgent ? rest : process.argv.slice(2)

// Bytes in transit live shortly: with V8's defaults bulk transfers run into one full collection after the other, which
// costs two to three times the CPU (bench/README.md, `--node-flags`).
const flags = JSON.parse(readFileSync(join(root, 'scripts/node-flags.json'), 'utf8'))[isAgent ? 'agent' : 'server']

const child = spawn(projectNode(), [...flags, join(root, program), ...args], {
  stdio: 'inherit',
  env: nodeEnvironment(),
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)))
