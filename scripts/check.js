// `npm run check`: all checks that do not run the product. Each step's time is printed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dependenciesAreAllowed } from './dependencies.js'
import { ensureInstalled } from './checkout/install.js'
import { openApiIsClean } from './lint-openapi.js'
import { lockHoles } from './lock-holes.js'
import { projectNode, root } from './project-node.js'
import { structureIsSound } from './structure.js'

process.chdir(root)
ensureInstalled()
const node = projectNode()
const cruise = ['depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'packages', 'apps']

const steps = [
  ['the lockfile holds every optional package', lockfileIsWhole],
  ['dependencies are those of deps.allow.json', dependenciesAreAllowed],
  ['types', () => run('tsc', '-p', 'tsconfig.json')],
  ['types of the console', () => !existsSync('apps/console/tsconfig.json') || run('tsc', '-p', 'apps/console')],
  ['types of the docs', () => !existsSync('apps/docs/tsconfig.json') || run('tsc', '-p', 'apps/docs')],
  ['lint', () => run('oxlint', '--type-aware', '--deny-warnings')],
  ['format', () => run('oxfmt', '--check')],
  ['texts of the console are translated', () => run('apps/console/locales/update.ts', '--check')],
  ['OpenAPI documents are fresh', () => run('scripts/openapi.ts', '--check')],
  ['the route matrix is fresh', () => run('scripts/routes.ts', '--check')],
  ['OpenAPI documents have no lint error', openApiIsClean],
  ['folders, tables and citations, with planted faults', structureIsSound],
  ['dependency rules see a planted violation', plantedViolation],
  ['dependency rules', () => run(...cruise)],
]

let failed = 0
for (const [name, step] of steps) {
  const started = Date.now()
  const ok = step()
  if (!ok) failed += 1
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
}
process.exit(failed ? 1 : 0)

function lockfileIsWhole() {
  const holes = lockHoles()
  for (const hole of holes) console.log(`missing: ${hole}`)
  return holes.length === 0
}

function run(...command) {
  return spawnSync(node, ['scripts/run.js', ...command], { stdio: 'inherit' }).status === 0
}

/** Writes one import that each rule must reject and requires the checker to report those rules. */
function plantedViolation() {
  const plants = {
    'pure-packages': ['packages/ssh/src/planted.ts', "import '@bowline/link/api'\n"],
    'apps-stand-alone': ['apps/agent/src/planted.ts', "import '../../server/src/planted.ts'\n"],
    'console-ui-below': ['apps/console/src/ui/planted.ts', "import '../shell/planted.ts'\n"],
    'agent-is-small': ['apps/agent/src/planted2.ts', "import '@bowline/ssh/api'\n"],
    'stores-are-private': ['apps/server/src/planted/planted.ts', "import '../planted2/store.ts'\n"],
    'gateway-below-http': ['apps/server/src/gateway/planted.ts', "import '../planted2/routes.ts'\n"],
    'loaded-when-used': ['apps/server/src/planted3.ts', "import '@aws-sdk/client-s3'\n"],
    'nouns-below-gateway': ['apps/server/src/planted/planted2.ts', "import '../gateway/planted.ts'\n"],
  }
  const support = {
    'apps/server/src/planted.ts': 'export {}\n',
    'apps/console/src/shell/planted.ts': 'export {}\n',
    'apps/server/src/planted2/store.ts': 'export {}\n',
    'apps/server/src/planted2/routes.ts': 'export {}\n',
  }
  const files = { ...support, ...Object.fromEntries(Object.values(plants)) }
  const folders = ['apps/server/src/planted', 'apps/server/src/planted2']
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, text)
    }
    const result = spawnSync(node, ['scripts/run.js', ...cruise], { encoding: 'utf8' })
    const missed = Object.keys(plants).filter((rule) => !result.stdout.includes(` ${rule}: `))
    if (missed.length) console.log(`the checker did not report: ${missed.join(', ')}\n${result.stdout}${result.stderr}`)
    return missed.length === 0
  } finally {
    for (const file of Object.keys(files)) rmSync(file, { force: true })
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}
