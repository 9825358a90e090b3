// Builds what is stale: `node scripts/run.js scripts/build.ts console agent docs`. A part is stale when the hash of its
// sources differs from the one it was built from.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build as bundle } from 'esbuild'

const root = resolve(import.meta.dirname, '..')

interface Part {
  readonly sources: readonly string[]
  /** What the build leaves; relative to the root. */
  readonly output: string
  build(): void | Promise<void>
}

const PARTS: Readonly<Record<string, Part>> = {
  console: {
    sources: ['apps/console', 'packages/contract/src', 'package-lock.json'],
    output: 'apps/console/dist/index.html',
    build: () => tool('vite', ['build', '--logLevel', 'warn'], join(root, 'apps/console')),
  },
  docs: {
    sources: ['apps/docs', 'package-lock.json'],
    output: 'apps/docs/build/index.html',
    build: () => tool('docusaurus', ['build'], join(root, 'apps/docs')),
  },
  agent: {
    sources: [
      'apps/agent/src',
      'apps/agent/package.json',
      'packages/link/src',
      'packages/sftp/src',
      'packages/contract/src',
      'package-lock.json',
    ],
    output: `apps/agent/dist/bundle-linux-${process.arch}.tar.gz`,
    build: bundleAgent,
  },
}

/**
 * Builds the named parts that are stale.
 * @throws {Error} when a build fails; what stood there before stays
 */
export async function buildStale(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const part = PARTS[name]
    if (!part) throw new Error(`there is nothing to build named '${name}'; known: ${Object.keys(PARTS).join(', ')}`)
    if (!existsSync(join(root, part.sources[0] ?? '', name === 'agent' ? 'main.ts' : 'package.json'))) continue
    const stamp = join(root, '.cache', `built-${name}`)
    const wanted = hashOf(part.sources)
    const current = existsSync(stamp) && existsSync(join(root, part.output)) ? readFileSync(stamp, 'utf8') : ''
    if (current === wanted) continue
    process.stderr.write(`Building ${name} …\n`)
    await part.build()
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, wanted)
  }
}

/** Hash over the names and contents of all files below some paths, built ones left out. */
function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256')
  const visit = (path: string): void => {
    const full = join(root, path)
    const entries = path.endsWith('.json') ? undefined : readdirSync(full, { withFileTypes: true })
    if (!entries) return void hash.update(path).update(readFileSync(full))
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (['node_modules', 'dist', 'build', '.docusaurus', '.cache'].includes(entry.name)) continue
      const inner = join(path, entry.name)
      if (entry.isDirectory()) visit(inner)
      else hash.update(inner).update(readFileSync(join(root, inner)))
    }
  }
  for (const path of paths) visit(path)
  return hash.digest('hex')
}

function tool(name: string, args: readonly string[], cwd: string): void {
  const result = spawnSync(process.execPath, [join(root, 'scripts/run.js'), name, ...args], {
    cwd,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (result.status !== 0) throw new Error(`${name} ${args.join(' ')} failed`)
}

/** Native modules stay packages beside the bundle; each loads its binary relative to itself. */
const NATIVE = ['koffi', `@koromix/koffi-linux-${process.arch}`]

/** The agent and its program for files, each one script, with the native packages, for machines like this one. */
async function bundleAgent(): Promise<void> {
  // Of this process alone: two may build at once, and the last rename wins.
  const stage = join(root, `.cache/agent-bundle-${process.pid}`)
  mkdirSync(stage, { recursive: true })
  await bundle({
    // Two scripts, so that file transfer costs an agent nothing until somebody asks for it.
    entryPoints: {
      agent: join(root, 'apps/agent/src/main.ts'),
      'sftp-server': join(root, 'apps/agent/src/sftp/main.ts'),
    },
    outdir: stage,
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'esm',
    external: ['koffi'],
    // CommonJS packages inside an ES module ask for require.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
  })
  writeFileSync(join(stage, 'package.json'), '{"type":"module"}\n')
  for (const name of NATIVE) {
    // Sources, documentation and type declarations of the package are nothing to run.
    const skip = /\/(doc|vendor|test)(\/|$)|\.(md|map|cc|hh|c|h|S|asm|txt|d\.ts)$/
    cpSync(join(root, 'node_modules', name), join(stage, 'node_modules', name), {
      recursive: true,
      dereference: true,
      filter: (source) => !skip.test(source.slice(root.length)),
    })
  }
  const target = join(root, `apps/agent/dist/bundle-linux-${process.arch}.tar.gz`)
  mkdirSync(dirname(target), { recursive: true })
  const part = `${target}.${process.pid}.part`
  const tar = spawnSync('tar', ['-czf', part, '--owner=0', '--group=0', '-C', stage, '.'], {
    stdio: ['ignore', 2, 2],
  })
  rmSync(stage, { recursive: true, force: true })
  if (tar.status !== 0) throw new Error('tar failed')
  renameSync(part, target)
}

if (import.meta.main) await buildStale(process.argv.slice(2))
