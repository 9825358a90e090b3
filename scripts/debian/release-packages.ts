// The packages of a release: one for each architecture of the agent.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ARCHITECTURES } from '../agent-bundle/bundle.ts'
import type { Facts } from './control.ts'
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
 * Facts about the source. The maintainer is whoever made the commit, unless `DEBFULLNAME` and `DEBEMAIL` name, as for
 * Debian's own tools, who makes the packages.
 */
export function sourceFacts(root: string): Pick<Facts, 'maintainer' | 'homepage' | 'epoch'> {
  const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { homepage?: string }
  const [author = 'Bowline', address = 'root@localhost', committed] = lastCommit(root)
  const { DEBFULLNAME = author, DEBEMAIL = address, SOURCE_DATE_EPOCH = committed } = process.env
  return {
    maintainer: `${DEBFULLNAME} <${DEBEMAIL}>`,
    homepage,
    epoch: SOURCE_DATE_EPOCH === undefined ? Math.floor(Date.now() / 1_000) : Number(SOURCE_DATE_EPOCH),
  }
}

/** @returns author, address and time of the checkout's commit; nothing outside a checkout */
function lastCommit(cwd: string): readonly string[] {
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%an%n%ae%n%ct'], { cwd, encoding: 'utf8' })
  return status === 0 ? stdout.trimEnd().split('\n') : []
}
