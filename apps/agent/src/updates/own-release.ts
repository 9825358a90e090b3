// The release that a program is of: its manifest lies beside it. Only a verified one is put there, as the device refuses
// releases older than that.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentManifest, UpdateKey, verifyManifest } from '@bowline/link/agent-manifest'
import { ownPackage } from '../own-package.ts'
import { ownBundle } from '../own-program.ts'

export const MANIFEST_FILE = 'manifest.json'

/** The manifest is not that of the program; the message says why. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError'
}

/** A manifest as the install script has fetched it, and the archive that it should be of. */
export interface FetchedManifest {
  /** File names. */
  readonly manifest: string
  readonly signature: string
  /** SHA-256 of the archive, hexadecimal. */
  readonly sum: string
  /** As manifests name it. */
  readonly platform: string
}

/**
 * Verifies a manifest and puts it beside the program.
 * @param key that it must be signed by, or lead from
 * @param bundle folder of the program
 * @throws {ManifestError | Error} nothing has changed then
 */
export function keepManifest(fetched: FetchedManifest, key: string | undefined, bundle: string): void {
  const { manifest: file, signature, sum, platform } = fetched
  if (!UpdateKey.safeParse(key).success)
    throw new ManifestError('BOWLINE_UPDATE_KEY is not an Ed25519 key in base64url')
  const bytes = readFileSync(file)
  const verified = verifyManifest(bytes, readFileSync(signature), key ?? '')
  if ('fault' in verified) throw new ManifestError(`the manifest is refused: ${verified.fault}`)
  if (verified.manifest.bundles[platform]?.sha256 !== sum) {
    throw new ManifestError(`the manifest is refused: it is not of the archive for ${platform} with the SHA-256 ${sum}`)
  }
  const target = join(bundle, MANIFEST_FILE)
  writeFileSync(`${target}.new`, bytes, { flush: true })
  renameSync(`${target}.new`, target)
}

/** Number of the release that this process is of, by its package or its manifest; 0 when it is of none that was signed. */
export function ownRelease(): number {
  const bundle = ownBundle()
  if (bundle === undefined) return 0
  const own = ownPackage()
  if (own !== undefined) return own.release
  try {
    return AgentManifest.parse(JSON.parse(readFileSync(join(bundle, MANIFEST_FILE), 'utf8'))).release
  } catch {
    return 0
  }
}
