// The packages of a release: one for each architecture of the agent.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ARCHITECTURES } from '../agent-bundle/bundle.ts'
import { canMakePackages, makePackage } from './package.ts'

/** xz with a dictionary of 8 MiB: dpkg unpacks it in as much memory, which small devices have. */
const COMPRESSION = 6

export interface ReleasePackagesOptions {
  readonly root: string
  /** Folder of the archives of the agent. */
  readonly folder: string
  /** Output folder. */
  readonly target: string
  readonly version: string
  /** Number of the signed release; 0: it is not signed. */
  readonly release: number
}

/** @returns paths by platform, as manifests name it; none where this machine has no dpkg-deb, which stderr tells */
export function packageAgents(options: ReleasePackagesOptions): Record<string, string> {
  if (!canMakePackages()) {
    process.stderr.write('No Debian packages: dpkg-deb is not installed.\n')
    return {}
  }
  const { root, folder } = options
  const facts = { ...options, ...sourceFacts(root), compression: COMPRESSION }
  const made = ARCHITECTURES.map((arch) => {
    const bundle = join(folder, `bundle-linux-${arch}.tar.gz`)
    return [`linux-${arch}`, makePackage({ ...facts, arch, bundle })]
  })
  return Object.fromEntries(made)
}

/**
 * Facts about the source. Whoever makes packages is their maintainer, as `DEBFULLNAME` and `DEBEMAIL` name them for
 * Debian's own tools.
 */
function sourceFacts(root: string): { maintainer: string; homepage: string | undefined; epoch: number } {
  const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { homepage?: string }
  const { DEBFULLNAME = 'Bowline', DEBEMAIL = 'root@localhost', SOURCE_DATE_EPOCH } = process.env
  return { maintainer: `${DEBFULLNAME} <${DEBEMAIL}>`, homepage, epoch: Number(SOURCE_DATE_EPOCH ?? committed(root)) }
}

/** When the checkout was committed, in seconds since 1970; outside a checkout, now. */
function committed(root: string): number {
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  return status === 0 && stdout !== '' ? Number(stdout) : Math.floor(Date.now() / 1_000)
}
