// Builds what is stale: `node scripts/run.js scripts/build.ts console agent-x64 docs`. A part is stale when the hash of
// its sources differs from the one it was built from.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ARCHITECTURES, type Architecture, bundleAgent } from './agent-bundle/bundle.ts'
import { takeCheckoutLock } from './checkout/lock.js'
import { tool } from './tool.ts'

const root = resolve(import.meta.dirname, '..')

interface Part {
  readonly sources: readonly string[]
  /** The build's output; relative to the root. */
  readonly output: string
  build(): void | Promise<void>
}

const PARTS: Readonly<Record<string, Part>> = {
  console: {
    sources: [
      'apps/console',
      'packages/contract/src',
      'packages/asciicast/src',
      'packages/browser/src',
      'packages/ssh/src',
      'scripts/compress-files.ts',
      'package-lock.json',
    ],
    output: 'apps/console/dist/index.html',
    build: () => tool('vite', ['build', '--logLevel', 'warn'], join(root, 'apps/console')),
  },
  docs: {
    sources: [
      'apps/docs',
      'packages/contract/src',
      'packages/contract/openapi',
      'packages/browser/src',
      'scripts/compress-files.ts',
      'package-lock.json',
    ],
    output: 'apps/docs/build/index.html',
    build: () => tool('docusaurus', ['build'], join(root, 'apps/docs')),
  },
  ...Object.fromEntries(ARCHITECTURES.map((arch) => [`agent-${arch}`, agentPart(arch)])),
}

function agentPart(arch: Architecture): Part {
  const output = `apps/agent/dist/bundle-linux-${arch}.tar.gz`
  return {
    sources: [
      'apps/agent/src',
      'apps/agent/package.json',
      'packages/base/src',
      'packages/link/src',
      'packages/sftp/src',
      'packages/contract/src',
      'scripts/agent-bundle',
      'scripts/node-flags.json',
      'package-lock.json',
    ],
    output,
    build: () => bundleAgent(root, arch, join(root, output)),
  }
}

/** The agent's bundle for this machine's architecture. */
export const OWN_AGENT = `agent-${process.arch}`

/**
 * Builds the named parts that are stale.
 * @throws {Error} when a build fails; earlier output stays in place
 */
export async function buildStale(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const part = PARTS[name]
    if (!part) throw new Error(`there is nothing to build named '${name}'; known: ${Object.keys(PARTS).join(', ')}`)
    const stamp = join(root, '.cache', `built-${name}`)
    const wanted = hashOf(part.sources)
    const isFresh = () =>
      existsSync(stamp) && existsSync(join(root, part.output)) && readFileSync(stamp, 'utf8') === wanted
    if (isFresh()) continue
    const release = takeCheckoutLock(`build-${name}`)
    try {
      if (isFresh()) continue
      process.stderr.write(`Building ${name} …\n`)
      await part.build()
      writeFileSync(stamp, wanted)
    } finally {
      release()
    }
  }
}

/** Hash of the names and contents of all files below some paths, excluding build output and tests. */
function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256')
  const visit = (path: string): void => {
    const full = join(root, path)
    const entries = /[.](json|ts)$/.test(path) ? undefined : readdirSync(full, { withFileTypes: true })
    if (!entries) return void hash.update(path).update(readFileSync(full))
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (
        [
          'node_modules',
          'dist',
          'build',
          'build-root',
          '.docusaurus',
          '.docusaurus-root',
          '.generated',
          '.cache',
        ].includes(entry.name)
      )
        continue
      const inner = join(path, entry.name)
      if (entry.isDirectory()) visit(inner)
      else if (!entry.name.endsWith('.test.ts')) hash.update(inner).update(readFileSync(join(root, inner)))
    }
  }
  for (const path of paths) visit(path)
  return hash.digest('hex')
}

if (import.meta.main) await buildStale(process.argv.slice(2))
