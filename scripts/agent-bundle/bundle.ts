// Builds the agent's bundle for devices: a Node executable with the agent inside and its native module beside it, in
// one folder named after the version. Nothing is unpacked to a temporary folder when it runs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import nodeFlags from '../node-flags.json' with { type: 'json' }
import { withoutLanguages } from './icu.ts'
import { packageFolder } from './packages.ts'
import { stripped } from './strip.ts'

export const ARCHITECTURES = ['x64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

/** Three programs in one executable (apps/agent/src/bundled.ts): the agent, the file server, the PAM process. */
interface Scripts {
  readonly main: string
  readonly sftp: string
  readonly pam: string
}

const KOFFI_BESIDE = resolve(import.meta.dirname, '../../apps/agent/src/native/koffi-beside.ts')

/** @param arch can be cross-built: without snapshot and code cache nothing of the program runs here */
export async function bundleAgent(root: string, arch: Architecture, target: string): Promise<void> {
  const koffi = join(packageFolder(root, `@koromix/koffi-linux-${arch}`), `linux_${arch}/koffi.node`)
  const node = join(packageFolder(root, `node-linux-${arch}`), 'bin/node')
  // Unique to this process: concurrent builds are possible, and the last rename wins.
  const stage = join(root, `.cache/agent-bundle-${arch}-${process.pid}`)
  const part = `${target}.${process.pid}.part`
  try {
    const scripts = {
      main: join(stage, 'agent.cjs'),
      sftp: join(stage, 'sftp-server.cjs'),
      pam: join(stage, 'pam.cjs'),
    }
    await bundleScript(join(root, 'apps/agent/src/bundled.ts'), scripts.main)
    await bundleScript(join(root, 'apps/agent/src/sftp/main.ts'), scripts.sftp)
    await bundleScript(join(root, 'apps/agent/src/login/pam-main.ts'), scripts.pam)
    const name = `bowline-agent-${versionOf(root)}-${buildOf([...Object.values(scripts), koffi, node])}`
    const folder = join(stage, name)
    mkdirSync(folder)
    writeFileSync(join(stage, 'node'), withoutLanguages(stripped(readFileSync(node))), { mode: 0o755 })
    makeExecutable(stage, scripts, join(folder, 'bowline'))
    copyFileSync(koffi, join(folder, 'koffi.node'))
    mkdirSync(dirname(target), { recursive: true })
    run('tar', ['-czf', part, '--owner=0', '--group=0', '--mode=u=rwX,go=rX', '-C', stage, name])
    renameSync(part, target)
  } finally {
    rmSync(stage, { recursive: true, force: true })
    rmSync(part, { force: true })
  }
}

/** CommonJS: an ES module that imports part of Node calls every getter of it, and those load undici, HTTP/2 … */
async function bundleScript(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    alias: { koffi: KOFFI_BESIDE },
    define: { 'import.meta.dirname': '""' },
    // Names are kept for the stack traces in logs.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
  })
}

/** Injects the scripts into the Node of `stage` (`node --build-sea`, Node's "Single executable applications"). */
function makeExecutable(stage: string, scripts: Scripts, output: string): void {
  const config = {
    main: scripts.main,
    // Read on demand; until then they are only pages of the file.
    assets: { 'sftp-server.cjs': scripts.sftp, 'pam.cjs': scripts.pam },
    executable: join(stage, 'node'),
    output,
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    execArgv: nodeFlags.agent,
    // The environment cannot change how the agent runs; the agent passes flags to a child program by an argument.
    execArgvExtension: 'cli',
  }
  writeFileSync(join(stage, 'sea.json'), JSON.stringify(config))
  run(process.execPath, ['--build-sea', join(stage, 'sea.json')])
}

function versionOf(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'apps/agent/package.json'), 'utf8'))
  if (typeof version !== 'string') throw new Error('apps/agent/package.json has no version')
  return version
}

/** Distinguishes two builds of one version, so that a device can have both and switch. */
function buildOf(files: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(nodeFlags.agent))
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 8)
}

function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${stderr || stdout}`)
}
