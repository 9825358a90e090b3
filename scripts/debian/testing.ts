// Keys of gpg and small packages for tests of repositories.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PACKAGE } from './control.ts'

export interface Keyring {
  /** For `GNUPGHOME`. */
  readonly home: string
  remove(): void
}

/** Creates a keyring with a key for each address; they need no passphrase. */
export function createKeyring(...addresses: readonly string[]): Keyring {
  // The agent of gpg listens in it: the path of a socket must be short.
  const home = mkdtempSync(join(tmpdir(), 'bowline-gpg-'))
  for (const address of addresses) {
    const made = ['--batch', '--quiet', '--passphrase', '', '--quick-generate-key', address, 'ed25519', 'sign', 'never']
    execFileSync('gpg', ['--homedir', home, ...made], { stdio: ['ignore', 'ignore', 'pipe'] })
  }
  return {
    home,
    remove() {
      execFileSync('gpgconf', ['--homedir', home, '--kill', 'gpg-agent'])
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Creates a package of the agent's name without files. @param architecture as Debian names it @returns its path */
export function emptyPackage(folder: string, version: string, architecture: string): string {
  const name = `${PACKAGE}_${version}_${architecture}`
  const stage = join(folder, name)
  mkdirSync(join(stage, 'DEBIAN'), { recursive: true })
  const fields = {
    Package: PACKAGE,
    Version: version,
    Architecture: architecture,
    Maintainer: 'Olga Operator <olga@example.com>',
    Description: 'no agent',
  }
  const lines = Object.entries(fields).map(([field, value]) => `${field}: ${value}\n`)
  writeFileSync(join(stage, 'DEBIAN/control'), lines.join(''))
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', stage, `${stage}.deb`], { stdio: 'ignore' })
  rmSync(stage, { recursive: true })
  return `${stage}.deb`
}
