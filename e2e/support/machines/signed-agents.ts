// Signed releases of the agent for a server to hand out, made of this checkout's bundle.
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildStale, OWN_AGENT } from '../../../scripts/build.ts'
import { writeManifest } from '../../../scripts/release/manifest.ts'
import { makeSmallArchive } from '../../../scripts/release/small-archive.ts'
import { root } from '../product.ts'

const bundle = join(root, `apps/agent/dist/bundle-linux-${process.arch}.tar.gz`)

export interface SignedAgents {
  /** For the server's BOWLINE_AGENTS_DIR. */
  readonly folder: string
  readonly keys: Readonly<Record<'release' | 'stranger', KeyObject>>
  /** Signs what is packed. @param key default: the release key */
  sign(release: number, key?: 'release' | 'stranger'): void
  /**
   * Packs another build: the same files in a folder of another name.
   * @param program text of another `bowline`, beside `bowline.own`
   * @returns name of the folder
   */
  pack(build: string, program?: string): string
  remove(): void
}

export async function signedAgents(): Promise<SignedAgents> {
  await buildStale([OWN_AGENT])
  const work = mkdtempSync(join(tmpdir(), 'bowline-e2e-agents-'))
  const folder = join(work, 'agents')
  const archive = join(folder, `bundle-linux-${process.arch}.tar.gz`)
  const keys = {
    release: generateKeyPairSync('ed25519').privateKey,
    stranger: generateKeyPairSync('ed25519').privateKey,
  }
  mkdirSync(folder)
  copyFileSync(bundle, archive)
  for (const [name, key] of Object.entries(keys)) {
    writeFileSync(join(work, `${name}.pem`), key.export({ type: 'pkcs8', format: 'pem' }))
  }
  return {
    folder,
    keys,
    sign(release, key = 'release') {
      writeManifest({
        folder,
        bundles: { [`linux-${process.arch}`]: archive },
        // Fast, where a release's is small.
        small: { [`linux-${process.arch}`]: makeSmallArchive(archive, 1) },
        key: join(work, `${key}.pem`),
        version: '0.1.0',
        release,
        minimumRelease: 0,
        rotations: undefined,
      })
    },
    pack(build, program) {
      const stage = join(work, build)
      mkdirSync(stage)
      execFileSync('tar', ['-xzf', bundle, '-C', stage])
      const [own = ''] = readdirSync(stage)
      const name = own.replace(/-[0-9a-f]+$/, `-${build}`)
      renameSync(join(stage, own), join(stage, name))
      if (program !== undefined) {
        renameSync(join(stage, name, 'bowline'), join(stage, name, 'bowline.own'))
        writeFileSync(join(stage, name, 'bowline'), program, { mode: 0o755 })
      }
      const files = ['--owner=0', '--group=0', '--mode=u=rwX,go=rX', '-C', stage, name]
      execFileSync('tar', ['-I', 'gzip -1', '-cf', archive, ...files])
      rmSync(stage, { recursive: true })
      return name
    },
    remove: () => rmSync(work, { recursive: true }),
  }
}
