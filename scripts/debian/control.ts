// Texts of the agent's Debian package: its control file (deb-control(5)), changelog and copyright.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Architecture } from '../agent-bundle/bundle.ts'
import { packageFolder } from '../agent-bundle/packages.ts'

export const PACKAGE = 'bowline-agent'
/** Names of architectures in Debian. */
export const DEBIAN_NAMES = { x64: 'amd64', arm64: 'arm64' } as const satisfies Record<Architecture, string>

/**
 * Libraries that the executable and its native module are linked with on both architectures, by the names that they are
 * loaded by. `symbols`: the newest versions that they need; `since`: the package's first version that has those, where an
 * older one is in a system with this package.
 */
export const LIBRARIES: Readonly<Record<string, Library>> = {
  'libatomic.so.1': { package: 'libatomic1', symbols: { LIBATOMIC: '1.0' } },
  'libc.so.6': { package: 'libc6', since: '2.28', symbols: { GLIBC: '2.28' } },
  'libgcc_s.so.1': { package: 'libgcc-s1', symbols: { GCC: '4.2.0' } },
  'libstdc++.so.6': { package: 'libstdc++6', since: '7', symbols: { GLIBCXX: '3.4.22', CXXABI: '1.3.11' } },
}
interface Library {
  readonly package: string
  readonly since?: string
  readonly symbols: Readonly<Record<string, string>>
}
const DEPENDS = Object.values(LIBRARIES)
  .map(({ package: name, since }) => (since === undefined ? name : `${name} (>= ${since})`))
  .join(', ')
/** Passwords of the system's users are checked by PAM, or by crypt(3) where there is none. */
const RECOMMENDS = 'libcrypt1, libpam0g'

export interface Facts {
  readonly arch: Architecture
  /** Semantic version. */
  readonly version: string
  /** `Name <address>` */
  readonly maintainer: string
  readonly homepage: string | undefined
  /** Seconds since 1970 that stand for the time of the build. */
  readonly epoch: number
}

/** Semantic versions as Debian orders them: a pre-release is before its release. */
export function debianVersion(version: string): string {
  return version.replace('-', '~').replaceAll('-', '.')
}

/** @param installedKib as dpkg counts it */
export function controlText({ arch, version, maintainer, homepage }: Facts, installedKib: number): string {
  return `Package: ${PACKAGE}
Version: ${debianVersion(version)}
Architecture: ${DEBIAN_NAMES[arch]}
Maintainer: ${maintainer}
Installed-Size: ${installedKib}
Depends: ${DEPENDS}
Recommends: ${RECOMMENDS}
Section: net
Priority: optional
${homepage === undefined ? '' : `Homepage: ${homepage}\n`}Description: agent for SSH to this device through a Bowline server
 The agent connects this device to a Bowline server from behind any network,
 and people reach it with the ssh that they have: shells, commands, files and
 forwarded ports, as users of this system. It accepts no connections itself.
 .
 "bowline agent install" makes it a service of this device.
`
}

export function changelogText({ version, maintainer, epoch }: Facts): string {
  const date = new Date(epoch * 1_000).toUTCString().replace('GMT', '+0000')
  return `${PACKAGE} (${debianVersion(version)}) unstable; urgency=medium

  * Release ${version} of Bowline, whose CHANGELOG.md has what has changed.

 -- ${maintainer}  ${date}
`
}

/** The project's own terms and those of everything that the executable contains. */
export function copyrightText(root: string, { arch }: Facts): string {
  const allowed = JSON.parse(readFileSync(join(root, 'deps.allow.json'), 'utf8')) as { runtime: { agent: string[] } }
  // Native modules of one package are under its terms.
  const bundled = allowed.runtime.agent.filter((name) => !name.startsWith('@koromix/'))
  const parts = [`node-linux-${arch}`, ...bundled].map((name) => {
    const title = name.startsWith('node-linux') ? 'Node.js' : name
    return `${title}\n${'-'.repeat(title.length)}\n\n${licenceIn(packageFolder(root, name)).trim()}\n`
  })
  return `Bowline

Copyright: the authors of Bowline
License: Apache-2.0

On Debian systems the text of the Apache License, version 2.0, is in
/usr/share/common-licenses/Apache-2.0.

The executable contains the following software, under the terms below.

${parts.join('\n')}`
}

function licenceIn(folder: string): string {
  const name = readdirSync(folder).find((file) => /^licen[cs]e(\.(md|txt))?$/i.test(file))
  if (name === undefined || !existsSync(join(folder, name))) throw new Error(`${folder} has no licence`)
  return readFileSync(join(folder, name), 'utf8')
}
